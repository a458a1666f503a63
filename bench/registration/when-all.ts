import { type CachedResource, realClock } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';

const timeoutMs = 600_000;

/** When a check holds for the objects of all keys; one subscription, so that watching costs the machine little. */
export function whenAll<T extends KubeObject>(
  cache: CachedResource<T>,
  what: string,
  keys: readonly string[],
  check: (object: T | undefined) => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const left = new Set(keys);
    const cancel = realClock.schedule(timeoutMs, () => {
      subscription.unsubscribe();
      reject(new Error(`waited ${timeoutMs} ms for ${what} of ${left.size}, of them ${left.values().next().value}`));
    });
    const checkKey = (key: string) => {
      if (!left.has(key) || !check(cache.get(key))) return;
      left.delete(key);
      if (left.size > 0) return;
      cancel();
      resolve();
      // It may be the last one while subscribing.
      queueMicrotask(() => subscription.unsubscribe());
    };
    const subscription = cache.changes.subscribe(({ key }) => checkKey(key));
    // There are no events about deleted objects any more.
    for (const key of keys) checkKey(key);
  });
}
