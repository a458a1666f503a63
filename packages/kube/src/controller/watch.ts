import type { KubeObject, ResourceType } from '@flotilla/schema';
import { isObservable, type Observable, type Unsubscribable } from 'rxjs';
import type { Informer } from '../informer/informer.ts';
import type { ObjectKey } from '../meta/keys.ts';
import { joinKey } from '../meta/keys.ts';
import { controllerOf } from '../meta/owner-references.ts';
import type { StoreChange } from '../store/store.ts';
import type { QueuePriority } from './queue.ts';

/** Takes a key to reconcile. */
export type Wake = (key: ObjectKey, priority: QueuePriority) => void;

/** One source of keys of a controller. Made by `on`. */
export interface Watch {
  /** `onFailure` is about one change, after which the stream goes on; `onStreamError` about the stream, which has ended by it. */
  subscribe(wake: Wake, onFailure: (error: unknown) => void, onStreamError: (error: unknown) => void): Unsubscribable;
  /** Resolves when what was there before the start is in. */
  whenSynced(options: { signal?: AbortSignal; timeoutMs?: number }): Promise<void>;
}

/** The keys that an object is about; none is fine. */
export type KeysOf<T> = (object: T) => ObjectKey | readonly ObjectKey[] | undefined;

/**
 * Wakes a controller for each change of a watched kind: with the key of the object, or the keys that `keysOf` names. On an update
 * both the old and the new object are mapped, so that an object whose reference changes from A to B enqueues A and B.
 * `filter` drops changes that cannot matter. What was there at the start is queued behind live changes.
 */
export function on<T extends KubeObject>(
  informer: Pick<Informer<T>, 'changes' | 'whenSynced'>,
  keysOf?: KeysOf<T>,
  filter?: (change: StoreChange<T>) => boolean,
): Watch;
/**
 * Wakes a controller for each key of a stream: a timer, a file that changed, a message from elsewhere. A stream that errors is
 * logged, counted, and subscribed to again with back-off; one that has something to catch up on emits it at its subscription.
 */
export function on(keys: Observable<ObjectKey>): Watch;
export function on<T extends KubeObject>(
  source: Pick<Informer<T>, 'changes' | 'whenSynced'> | Observable<ObjectKey>,
  keysOf?: KeysOf<T>,
  filter: (change: StoreChange<T>) => boolean = () => true,
): Watch {
  if (isObservable(source)) {
    return {
      subscribe: (wake, _onFailure, error) => source.subscribe({ next: (key) => wake(key, 'live'), error }),
      whenSynced: async () => {},
    };
  }
  const keysFor = ({ key, object, previous }: StoreChange<T>): (() => readonly ObjectKey[])[] => {
    if (!keysOf) return [() => [key]];
    const objects = previous ? [object, previous] : [object];
    return objects.map((one) => () => listOf(keysOf(one)));
  };
  return {
    subscribe(wake, onFailure, onStreamError) {
      // An error about one object must not end the stream of all others, nor the process, nor hide its previous state.
      const attempt = <R>(what: () => R): R | undefined => {
        try {
          return what();
        } catch (error) {
          onFailure(error);
          return undefined;
        }
      };
      const next = (change: StoreChange<T>) => {
        if (!attempt(() => filter(change))) return;
        const priority = change.initial ? 'backlog' : 'live';
        for (const keys of keysFor(change)) for (const key of attempt(keys) ?? []) wake(key, priority);
      };
      return source.changes.subscribe({ next, error: onStreamError });
    },
    whenSynced: (options) => source.whenSynced(options),
  };
}

/**
 * Wakes a controller with the key of the owner for each change of an object that the owner controls: client-go's
 * "enqueue for owner". Objects that a controller of another kind owns are left out.
 */
export const owns = <T extends KubeObject>(
  informer: Pick<Informer<T>, 'changes' | 'whenSynced'>,
  owner: ResourceType,
): Watch => on(informer, (object) => ownerKey(object, owner));

function ownerKey(object: KubeObject, { group, kind, namespaced }: ResourceType): ObjectKey | undefined {
  const reference = controllerOf(object);
  if (!reference || reference.kind !== kind || groupOf(reference.apiVersion) !== group) return undefined;
  return joinKey(namespaced ? object.metadata?.namespace : undefined, reference.name);
}

const groupOf = (apiVersion: string): string => (apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '');

/** A filter for `on`: leaves out updates that change nothing but status, labels or annotations. */
export const generationChanged = <T extends KubeObject>({ object, previous }: StoreChange<T>): boolean =>
  previous === undefined || object.metadata?.generation !== previous.metadata?.generation;

const listOf = (keys: ObjectKey | readonly ObjectKey[] | undefined): readonly ObjectKey[] => {
  if (keys === undefined) return [];
  return typeof keys === 'string' ? [keys] : keys;
};
