import type { CloudEvent, DataType, ListedObject, QueuedEvent } from '@flotilla/cloudevents';
import { type CachedResource, type Clock, KubeError, keyOf, type Logger, type StoreChange } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';

/** The source of all events of a hub. */
export const hubSource = 'kube';
export const clusterIndex = 'cluster';

/** Options of services. */
export interface ServiceDeps {
  readonly clock: Clock;
  readonly log: Logger;
  /** Sends the state of an object to those who subscribed to its cluster. */
  readonly send: (
    dataType: DataType,
    clusterName: string,
    object: { readonly id: string | undefined; readonly event: QueuedEvent },
  ) => void;
}

/** How the objects of a cache become events. */
export interface Feed<T extends KubeObject> {
  readonly dataType: DataType;
  readonly cache: CachedResource<T>;
  /** Undefined for an object that belongs to no cluster. */
  clusterOf(object: T): string | undefined;
  /** What a resync compares. */
  identify(object: T): Pick<ListedObject, 'version' | 'digest'>;
  encode(object: T, action: 'create_request' | 'update_request'): CloudEvent;
  encodeGone(object: T): CloudEvent;
  /** Whether subscribers are to know of a change. Default: of each. */
  isNews?(object: T, previous: T): boolean;
}

/**
 * Sends the changes of a cache to subscribers, and lists it for those that resync. Objects are encoded when a reader is ready for them: a
 * reader that does not read costs no memory for what waits, and a resync nothing for what the agent has.
 */
export function startFeed<T extends KubeObject>(feed: Feed<T>, { send, log }: ServiceDeps) {
  const { cache, dataType } = feed;
  const clusterOf = (object: T): string[] => [feed.clusterOf(object) ?? []].flat();
  cache.addIndex(clusterIndex, clusterOf);
  const encoded = (key: string, encode: () => CloudEvent | undefined): CloudEvent | undefined => {
    try {
      return encode();
    } catch (error) {
      log.warn('an object cannot be sent to its cluster', { object: key, error });
      return undefined;
    }
  };
  const subscription = cache.changes.subscribe((change) => {
    if (change.initial) return;
    const encode = encoderOf(feed, change);
    if (!encode) return;
    const id = change.object.metadata?.uid;
    for (const clusterName of clusterOf(change.object)) {
      send(dataType, clusterName, { id, event: () => encoded(change.key, encode) });
    }
  });
  return {
    list(clusterName: string): ListedObject[] {
      if (!cache.synced) {
        const message = `the cache of ${cache.resource.type.plural} is not filled yet`;
        throw new KubeError('Unavailable', message, { cause: cache.lastError });
      }
      return cache.byIndex(clusterIndex, clusterName).map((object) => ({
        ...feed.identify(object),
        id: object.metadata?.uid,
        name: object.metadata?.name ?? '',
        isDeleting: object.metadata?.deletionTimestamp !== undefined,
        encode() {
          // As it is now: what has changed since the resync must not be undone by an older state.
          const key = keyOf(object);
          const current = cache.get(key);
          if (!current || current.metadata?.uid !== object.metadata?.uid) return undefined;
          return encoded(key, () => feed.encode(current, 'create_request'));
        },
      }));
    },
    stop: () => subscription.unsubscribe(),
  };
}

/** How an object is known whose version is its resource version. */
export function identifyByVersion({ metadata }: KubeObject): Pick<ListedObject, 'version'> {
  const { resourceVersion = '0' } = metadata ?? {};
  return { version: /^\d+$/.test(resourceVersion) ? BigInt(resourceVersion) : undefined };
}

function encoderOf<T extends KubeObject>(feed: Feed<T>, change: StoreChange<T>): (() => CloudEvent) | undefined {
  const { object } = change;
  if (change.type === 'added') return () => feed.encode(object, 'create_request');
  if (change.type === 'deleted') return () => feed.encodeGone(object);
  const isSame = object.metadata?.resourceVersion === change.previous.metadata?.resourceVersion;
  if (isSame || feed.isNews?.(object, change.previous) === false) return undefined;
  return () => feed.encode(object, 'update_request');
}
