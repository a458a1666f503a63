import type { Clock, KubeClient, Logger, ObjectKey, QueuePriority, Watch } from '@flotilla/kube';
import type { KitMetrics } from '@flotilla/kube/metrics';
import type { ObjectMeta, ResourceType } from '@flotilla/schema';
import { type Observable, Subject } from 'rxjs';
import { type CachedMetadata, KindWatch } from './kind-watch.ts';

/** What watches need besides the client. */
export interface WatchEnvironment {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: KitMetrics;
  readonly random?: () => number;
  readonly accessChanged?: Observable<void>;
}

/** One object on the cluster. */
export interface ObjectAddress {
  readonly type: ResourceType;
  readonly key: ObjectKey;
}

/** The objects that works applied, followed by one shared watch for each kind and place. */
export interface ObjectTracker {
  /** Wakes the holders whose names begin with `prefix`, for each change of their objects that they did not make themselves. */
  watchOf(prefix: string): Watch;
  /** Wakes `holder` for changes of the object from now on. */
  track(holder: string, address: ObjectAddress): void;
  /** Wakes `holder` for changes of these objects only. */
  keep(holder: string, addresses: readonly ObjectAddress[]): void;
  /** What is known without a request. */
  cached(address: ObjectAddress): CachedMetadata;
  /** Whether a change of the object would be reported. */
  isFollowing(address: ObjectAddress): boolean;
  /** Resolves when the watch of the object has its first list, or is not to be waited for. */
  whenListed(address: ObjectAddress): Promise<void>;
  /** Takes the answer to a request of `holder`. */
  advance(holder: string, address: ObjectAddress, metadata: ObjectMeta): void;
  /** All holders that track the object. */
  holders(address: ObjectAddress): ReadonlySet<string>;
  /** How many kinds are followed, and by how many watches. */
  readonly size: { readonly kinds: number; readonly watches: number };
  close(): void;
}

/** Names a kind in one version: watches of two versions of a kind are two. */
export const kindOf = ({ group, version, plural }: ResourceType): string => `${group}/${version}/${plural}`;

/** Names an object among all of the cluster. */
const addressOf = ({ type, key }: ObjectAddress): string => `${kindOf(type)} ${key}`;

interface Wake {
  readonly holder: string;
  readonly priority: QueuePriority;
}

/** Makes a tracker that follows nothing yet. */
export function createObjectTracker(
  client: Pick<KubeClient, 'metadata'>,
  environment: WatchEnvironment,
): ObjectTracker {
  const wakes = new Subject<Wake>();
  const kinds = new Map<string, KindWatch>();
  const held = new Map<string, Map<string, ObjectAddress>>();

  const track = (holder: string, address: ObjectAddress): void => {
    const addresses = held.get(holder) ?? new Map<string, ObjectAddress>();
    held.set(holder, addresses);
    addresses.set(addressOf(address), address);
    const name = kindOf(address.type);
    let watch = kinds.get(name);
    if (!watch) {
      watch = new KindWatch(client, address.type, environment, (other, priority) =>
        wakes.next({ holder: other, priority }),
      );
      kinds.set(name, watch);
    }
    watch.add(holder, address.key);
  };

  return {
    watchOf: (prefix) => watchOf(wakes, prefix),
    track,
    keep(holder, addresses) {
      const wanted = new Set(addresses.map(addressOf));
      const before = held.get(holder);
      for (const address of addresses) if (!before?.has(addressOf(address))) track(holder, address);
      for (const [name, address] of before ?? []) {
        if (wanted.has(name)) continue;
        before?.delete(name);
        remove(kinds, holder, address);
      }
      if (held.get(holder)?.size === 0) held.delete(holder);
    },
    cached: ({ type, key }) => kinds.get(kindOf(type))?.cached(key) ?? { kind: 'unknown' },
    isFollowing: ({ type, key }) => kinds.get(kindOf(type))?.isFollowing(key) ?? false,
    whenListed: async ({ type, key }) => kinds.get(kindOf(type))?.whenListed(key),
    advance: (holder, { type, key }, metadata) => kinds.get(kindOf(type))?.advance(holder, key, metadata),
    holders: ({ type, key }) => kinds.get(kindOf(type))?.holders(key) ?? new Set(),
    get size() {
      return { kinds: kinds.size, watches: [...kinds.values()].reduce((sum, { feeds }) => sum + feeds, 0) };
    },
    close() {
      for (const watch of kinds.values()) watch.close();
      kinds.clear();
      held.clear();
      wakes.complete();
    },
  };
}

/** The wakes of the holders whose names begin with `prefix`, as the watch of a controller. */
const watchOf = (wakes: Observable<Wake>, prefix: string): Watch => ({
  subscribe: (wake) =>
    wakes.subscribe(({ holder, priority }) => {
      if (holder.startsWith(prefix)) wake(holder.slice(prefix.length), priority);
    }),
  whenSynced: async () => {},
});

function remove(kinds: Map<string, KindWatch>, holder: string, address: ObjectAddress): void {
  const name = kindOf(address.type);
  const watch = kinds.get(name);
  if (!watch) return;
  watch.remove(holder, address.key);
  if (!watch.isUnused) return;
  watch.close();
  kinds.delete(name);
}
