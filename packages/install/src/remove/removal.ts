import type { Clock, KubeClient } from '@flotilla/kube';
import type { Owner } from '../ownership.ts';

/** How objects are removed. */
export interface Removal {
  readonly client: KubeClient;
  readonly owner: Owner;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly dryRun: boolean;
  /** Releases the finalizers of Open Cluster Management after a grace period: the program that set them does not run any more. */
  readonly force: boolean;
  /** Added to the hint of a timeout: how the user asks for `force`. */
  readonly forceHint?: string;
  readonly timeoutMs: number;
  readonly reporter: RemovalReporter;
}

/** Is informed about a removal while it goes on. */
export interface RemovalReporter {
  /** Called with each object when it is removed, or in a dry run when it would be. */
  removed(what: string): void;
  /** Called with each object of a user that stays although what it belonged to is removed. */
  left(what: string): void;
  /** Called with what is waited for. */
  pending(message: string): void;
  /** Called with what the user should know besides. */
  note(message: string): void;
}

/** The part of a wait that is the same for all waits of a removal. */
export const waitOf = ({ clock, signal, reporter }: Removal) => ({ clock, signal, onPending: reporter.pending });
