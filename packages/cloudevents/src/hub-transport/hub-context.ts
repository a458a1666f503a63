import type { Clock, KubeError, Logger } from '@flotilla/kube';
import type { CloudEventsClient } from '../client/client.ts';

/** What the kinds of a hub are made with. */
export interface HubContext {
  readonly client: CloudEventsClient;
  readonly clusterName: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** In [0, 1). */
  readonly random: () => number;
  /** Has something closed with the transport. */
  readonly own: <T extends OwnedByTransport>(resource: T) => T;
}

/** What lives as long as a transport. */
export interface OwnedByTransport {
  close(): void;
  /** Why reads of it fail although the hub answers. */
  readonly outOfStep?: KubeError | undefined;
}
