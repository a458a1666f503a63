import type { Clock, KubeClient, Logger } from '@flotilla/kube';
import type { Images } from './image.ts';
import type { PodPermissions } from './pod-permissions.ts';

/** What all parts of a node work with. */
export interface NodeContext {
  readonly name: string;
  /** The node's own address. */
  readonly hostIP: string;
  readonly client: KubeClient;
  readonly images: Images;
  /** What pods may do besides running their images. */
  readonly allow: PodPermissions;
  /** Volumes and logs of pods. */
  readonly directory: string;
  /** Variables of every container. */
  readonly environment: Readonly<Record<string, string>>;
  /** What pods may use of this machine. */
  readonly capacity: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly log: Logger;
}
