import type { KubeObject } from '@flotilla/schema';
import { Observable, Subject } from 'rxjs';
import { keyOf, type ObjectKey } from '../meta/keys.ts';
import type { StoreChange } from '../store/store.ts';
import type { CachedResource } from './informer.ts';

/** One watch for many readers, each of which sees its own part: the objects of a namespace, one object by its name, or by a label. */
export interface PartitionedResource<T extends KubeObject> extends Disposable {
  /** The part of this name as a cache of its own. Its writes reach all parts; closing it ends its own changes only. */
  part(name: string): CachedResource<T>;
}

/**
 * Divides a cache by the namespace of its objects or, if they have none, by their names; with `label` by the value of that label.
 * Closing it leaves the cache open.
 */
export function partition<T extends KubeObject>(
  cache: CachedResource<T>,
  { label }: { readonly label?: string } = {},
): PartitionedResource<T> {
  const listeners = new Map<string, Set<Subject<StoreChange<T>>>>();
  const partOf = label === undefined ? namespaceOrName : ({ metadata }: T) => metadata?.labels?.[label] ?? '';
  const index = label === undefined ? 'partition' : `partition by ${label}`;
  cache.addIndex(index, label === undefined ? partsOf : (object) => [partOf(object)]);
  const notify = (part: string, change: StoreChange<T>): void => {
    for (const listener of listeners.get(part) ?? []) listener.next(change);
  };
  // One subscription to all changes, however many parts there are: a change is handed to its part and not offered to each.
  const subscription = cache.changes.subscribe({
    next(change) {
      const own = partOf(change.object);
      const before = change.previous === undefined ? own : partOf(change.previous);
      if (before === own) return notify(own, change);
      const { key, object } = change;
      // For the part that it left it is deleted, for the other it is new unless its last state came with its deletion.
      if (change.previous)
        notify(before, { type: 'deleted', key, object: change.previous, previous: change.previous, initial: false });
      if (change.type !== 'deleted') notify(own, { type: 'added', key, object, initial: change.initial });
    },
    complete() {
      for (const part of listeners.values()) for (const listener of part) listener.complete();
    },
  });
  return {
    part: (name) => createPart(cache, name, { index, listeners, partOf }),
    [Symbol.dispose]: () => subscription.unsubscribe(),
  };
}

const namespaceOrName = ({ metadata }: KubeObject): string => metadata?.namespace ?? metadata?.name ?? '';

/** One function value, so that a cache that is divided twice has one index. */
const partsOf = (object: KubeObject): readonly string[] => [namespaceOrName(object)];

/** How a cache is divided, and who follows its parts. */
interface Division<T extends KubeObject> {
  readonly index: string;
  readonly listeners: Map<string, Set<Subject<StoreChange<T>>>>;
  readonly partOf: (object: T) => string;
}

function createPart<T extends KubeObject>(
  cache: CachedResource<T>,
  name: string,
  { index, listeners, partOf }: Division<T>,
): CachedResource<T> {
  const isOwn = (object: T | undefined): object is T => object !== undefined && partOf(object) === name;
  const list = () => cache.byIndex(index, name);
  const open = new Set<Subject<StoreChange<T>>>();
  const changes = new Observable<StoreChange<T>>((subscriber) => {
    for (const object of list()) subscriber.next({ type: 'added', key: keyOf(object), object, initial: true });
    const listener = new Subject<StoreChange<T>>();
    const part = listeners.get(name) ?? new Set();
    listeners.set(name, part.add(listener));
    open.add(listener);
    const subscription = listener.subscribe(subscriber);
    return () => {
      subscription.unsubscribe();
      open.delete(listener);
      part.delete(listener);
      if (part.size === 0 && listeners.get(name) === part) listeners.delete(name);
    };
  });
  const close = () => {
    for (const listener of open) listener.complete();
  };
  const get = (key: ObjectKey) => {
    const object = cache.get(key);
    return isOwn(object) ? object : undefined;
  };
  return {
    get,
    has: (key) => get(key) !== undefined,
    list,
    keys: () => list().map(keyOf).values(),
    byIndex: (other, value) => cache.byIndex(other, value).filter(isOwn),
    addIndex: (other, values) => cache.addIndex(other, values),
    changes,
    whenSynced: (options) => cache.whenSynced(options),
    get size() {
      return list().length;
    },
    get synced() {
      return cache.synced;
    },
    get lastError() {
      return cache.lastError;
    },
    ...writesOf(cache),
    close,
    [Symbol.dispose]: close,
  };
}

const writesOf = <T extends KubeObject>(cache: CachedResource<T>) => ({
  resource: cache.resource,
  find: cache.find,
  create: cache.create,
  replace: cache.replace,
  patch: cache.patch,
  apply: cache.apply,
  delete: cache.delete,
  status: cache.status,
});
