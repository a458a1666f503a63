import type { EpochMs } from '@flotilla/kube/clock';
import type { Container } from '@flotilla/kube/kinds';

/** A container that ended. */
export interface Terminated {
  readonly kind: 'terminated';
  readonly exitCode: number;
  readonly signal?: number;
  readonly reason: string;
  readonly message?: string;
  /** Milliseconds since the epoch, as all times here. */
  readonly startedAt?: EpochMs;
  readonly finishedAt: EpochMs;
  readonly containerID?: string;
}

/** What a container does at the moment. */
export type ContainerState =
  | { readonly kind: 'waiting'; readonly reason: string; readonly message?: string }
  | { readonly kind: 'running'; readonly startedAt: EpochMs }
  | Terminated;

/** All that is known of a container at one moment: what decisions and statuses are made of. */
export interface ContainerSnapshot {
  readonly container: Container;
  readonly state: ContainerState;
  /** How it ended the last time, if it was started again since. */
  readonly last?: Terminated;
  /** Shown instead of how it ended, while it waits to be started again. */
  readonly pause?: string;
  readonly restartCount: number;
  /** Restarts since it last ran for long. */
  readonly crashes: number;
  readonly containerID?: string;
  /** Its start-up probe succeeded, or it has none and runs. */
  readonly isStarted: boolean;
  readonly isReady: boolean;
}

/** An init container that goes on while the others run. */
export const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always';
