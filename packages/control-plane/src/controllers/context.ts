import type { Clock, Informers, KubeClient, Logger } from '@flotilla/kube';
import type { Registry } from '../contracts/resource-info.ts';
import type { Storage } from '../contracts/storage.ts';
import type { ObjectFeed } from './object-feed.ts';

/** What the controllers of the control plane work with: a client and caches as any program has, and for those of all kinds the storage. */
export interface ControllerContext {
  readonly client: KubeClient;
  readonly informers: Informers;
  readonly storage: Pick<Storage, 'delete' | 'get' | 'list' | 'put' | 'subscribe'>;
  readonly registry: Pick<Registry, 'all' | 'forKind' | 'generation' | 'lookup'>;
  readonly feed: ObjectFeed;
  readonly clock: Clock;
  readonly log: Logger;
}
