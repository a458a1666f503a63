import type { CloudEvent, DataType } from '@flotilla/cloudevents';
import { type CachedResource, type Clock, KubeError, type Logger, type StoreChange } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';

/** The source of all events of a hub. */
export const hubSource = 'kube';
const clusterIndex = 'cluster';

/** What services are made with. */
export interface ServiceDeps {
  readonly clock: Clock;
  readonly log: Logger;
  /** Sends an event to those who subscribed. */
  readonly send: (dataType: DataType, event: CloudEvent) => void;
}

/** How the objects of a cache become events. */
export interface Feed<T extends KubeObject> {
  readonly dataType: DataType;
  readonly cache: CachedResource<T>;
  /** Undefined for an object that belongs to no cluster. */
  clusterOf(object: T): string | undefined;
  encode(object: T, action: 'create_request' | 'update_request'): CloudEvent;
  encodeGone(object: T): CloudEvent;
  /** Whether subscribers are to know of a change. Default: of each. */
  isNews?(object: T, previous: T): boolean;
}

/** Sends the changes of a cache to subscribers, and lists it for those that resync. */
export function startFeed<T extends KubeObject>(feed: Feed<T>, { send, log }: ServiceDeps) {
  const { cache, dataType } = feed;
  const clusterOf = (object: T): string[] => [feed.clusterOf(object) ?? []].flat();
  cache.addIndex(clusterIndex, clusterOf);
  const subscription = cache.changes.subscribe((change) => {
    if (change.initial || clusterOf(change.object).length === 0) return;
    try {
      const event = eventOf(feed, change);
      if (event) send(dataType, event);
    } catch (error) {
      log.warn('an object cannot be sent to its cluster', { object: change.key, error });
    }
  });
  return {
    list(clusterName: string): CloudEvent[] {
      if (!cache.synced) {
        const message = `the cache of ${cache.resource.type.plural} is not filled yet`;
        throw new KubeError('Unavailable', message, { cause: cache.lastError });
      }
      return cache.byIndex(clusterIndex, clusterName).map((object) => feed.encode(object, 'create_request'));
    },
    stop: () => subscription.unsubscribe(),
  };
}

function eventOf<T extends KubeObject>(feed: Feed<T>, change: StoreChange<T>): CloudEvent | undefined {
  if (change.type === 'added') return feed.encode(change.object, 'create_request');
  if (change.type === 'deleted') return feed.encodeGone(change.object);
  const isSame = change.object.metadata?.resourceVersion === change.previous.metadata?.resourceVersion;
  if (isSame || feed.isNews?.(change.object, change.previous) === false) return undefined;
  return feed.encode(change.object, 'update_request');
}
