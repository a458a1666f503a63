import type { Clock, Logger } from '@flotilla/kube';
import type { CloudEventsClient } from '../client/client.ts';

/** What the kinds of a hub are made with. */
export interface HubContext {
  readonly client: CloudEventsClient;
  readonly clusterName: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Has something closed with the transport. */
  readonly own: <T extends { close(): void }>(resource: T) => T;
}
