import type { KubeObject } from '@flotilla/api-types';
import { isObservable, type Observable, type Unsubscribable } from 'rxjs';
import type { Informer } from '../informer/informer.ts';
import type { ObjectKey } from '../resources/resource-handle.ts';
import type { StoreChange } from '../store/store.ts';
import type { QueuePriority } from './queue.ts';

/** Takes a key that should be looked at. */
export type Wake = (key: ObjectKey, priority: QueuePriority) => void;

/** One reason for a controller to look at a key. Made by `on`. */
export interface Watch {
  subscribe(wake: Wake, onFailure: (error: unknown) => void): Unsubscribable;
  /** Resolves when what was there before the start is in. */
  whenSynced(options: { signal?: AbortSignal; timeoutMs?: number }): Promise<void>;
}

/** The keys that an object is about; none is fine. */
export type KeysOf<T> = (object: T) => ObjectKey | readonly ObjectKey[] | undefined;

/**
 * Wakes a controller for each change of a watched kind: with the key of the object, or the keys that `keysOf` names. On an update
 * both the old and the new object are asked, so that an object whose reference moved from A to B wakes A and B.
 * `filter` drops changes that cannot matter. What was there at the start is queued behind live changes.
 */
export function on<T extends KubeObject>(
  informer: Pick<Informer<T>, 'changes' | 'whenSynced'>,
  keysOf?: KeysOf<T>,
  filter?: (change: StoreChange<T>) => boolean,
): Watch;
/** Wakes a controller for each key of a stream: a timer, a file that changed, a message from elsewhere. */
export function on(keys: Observable<ObjectKey>): Watch;
export function on<T extends KubeObject>(
  source: Pick<Informer<T>, 'changes' | 'whenSynced'> | Observable<ObjectKey>,
  keysOf?: KeysOf<T>,
  filter: (change: StoreChange<T>) => boolean = () => true,
): Watch {
  if (isObservable(source)) {
    return {
      subscribe: (wake, error) => source.subscribe({ next: (key) => wake(key, 'live'), error }),
      whenSynced: async () => {},
    };
  }
  const wakeFor = (change: StoreChange<T>, wake: Wake) => {
    if (!filter(change)) return;
    const priority = change.initial ? 'backlog' : 'live';
    if (!keysOf) {
      wake(change.key, priority);
      return;
    }
    for (const key of listOf(keysOf(change.object))) wake(key, priority);
    if (change.previous) for (const key of listOf(keysOf(change.previous))) wake(key, priority);
  };
  return {
    subscribe: (wake, onFailure) =>
      source.changes.subscribe({
        next: (change) => {
          // One odd object must not end the stream of all others, nor the process.
          try {
            wakeFor(change, wake);
          } catch (error) {
            onFailure(error);
          }
        },
        error: onFailure,
      }),
    whenSynced: (options) => source.whenSynced(options),
  };
}

const listOf = (keys: ObjectKey | readonly ObjectKey[] | undefined): readonly ObjectKey[] => {
  if (keys === undefined) return [];
  return typeof keys === 'string' ? [keys] : keys;
};
