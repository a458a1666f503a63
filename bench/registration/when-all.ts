import type { KubeObject } from '@flotilla/api-types';
import { type CachedResource, realClock } from '@flotilla/kube';

const patienceMs = 600_000;

/** When a check holds for the objects of all keys; one subscription, so that watching costs the machine little. */
export function whenAll<T extends KubeObject>(
  cache: CachedResource<T>,
  what: string,
  keys: readonly string[],
  check: (object: T | undefined) => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const left = new Set(keys);
    const cancel = realClock.schedule(patienceMs, () => {
      subscription.unsubscribe();
      reject(new Error(`waited ${patienceMs} ms for ${what} of ${left.size}, of them ${left.values().next().value}`));
    });
    const look = (key: string) => {
      if (!left.has(key) || !check(cache.get(key))) return;
      left.delete(key);
      if (left.size > 0) return;
      cancel();
      resolve();
      // It may be the last one while subscribing.
      queueMicrotask(() => subscription.unsubscribe());
    };
    const subscription = cache.changes.subscribe(({ key }) => look(key));
    // Of what is gone nobody tells any more.
    for (const key of keys) look(key);
  });
}
