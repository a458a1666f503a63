import { createInformers, type KubeClient, keyOf, realClock } from '@flotilla/kube';
import type { KubeObject, ResourceType } from '@flotilla/schema';

/** Waits for what happens on a server by watching it: no polling, and each wait ends. */
export interface Watching extends Disposable {
  /** The first object of a kind, there or to come, for which a check holds. */
  until<T extends KubeObject>(
    type: ResourceType<T>,
    what: string,
    isIt: (object: T) => boolean,
    timeoutMs?: number,
  ): Promise<T>;
  /** When the object of a key is not there any more. */
  gone<T extends KubeObject>(type: ResourceType<T>, key: string): Promise<void>;
  /** What happens to objects of a kind from now on, in order, until disposed. */
  record<T extends KubeObject>(type: ResourceType<T>, isWanted?: (object: T) => boolean): Promise<Recording<T>>;
}

/** Changes of a kind. */
export interface Recording<T extends KubeObject> extends Disposable {
  readonly changes: readonly { readonly type: 'added' | 'updated' | 'deleted'; readonly object: T }[];
}

/** Only ends what hangs, also on a machine that is busy elsewhere. */
const defaultTimeoutMs = 100_000;

/** Watches a server; one watch per kind, however many wait. */
export function watching(client: KubeClient): Watching {
  const informers = createInformers({ client });
  const wait = <T extends KubeObject, R>(
    type: ResourceType<T>,
    what: string,
    pick: (object: T, isGone: boolean) => R | undefined,
    timeoutMs = defaultTimeoutMs,
  ): Promise<R> =>
    new Promise((resolve, reject) => {
      const cache = informers.resource(type);
      let last: T | undefined;
      let found = false;
      const cancel = realClock.schedule(timeoutMs, () => {
        subscription.unsubscribe();
        reject(new Error(`waited ${timeoutMs} ms for ${what}; last seen: ${JSON.stringify(last)?.slice(0, 4000)}`));
      });
      const subscription = cache.changes.subscribe(({ type: change, object }) => {
        if (found) return;
        const result = pick(object, change === 'deleted');
        last = object;
        if (result === undefined) return;
        found = true;
        cancel();
        resolve(result);
        // It may be found while subscribing.
        queueMicrotask(() => subscription.unsubscribe());
      });
    });
  return {
    until: (type, what, isIt, timeoutMs) =>
      wait(type, what, (object, isGone) => (!isGone && isIt(object) ? object : undefined), timeoutMs),
    async gone(type, key) {
      const cache = informers.resource(type);
      await cache.whenSynced({ timeoutMs: defaultTimeoutMs });
      if (!cache.get(key)) return;
      await wait(type, `${key} to go`, (object, isGone) => (isGone && keyOf(object) === key ? true : undefined));
    },
    async record<T extends KubeObject>(type: ResourceType<T>, isWanted: (object: T) => boolean = () => true) {
      const cache = informers.resource(type);
      await cache.whenSynced({ timeoutMs: defaultTimeoutMs });
      const changes: Recording<T>['changes'][number][] = [];
      const subscription = cache.changes.subscribe(({ type: change, object, initial }) => {
        if (!initial && isWanted(object)) changes.push({ type: change, object });
      });
      return { changes, [Symbol.dispose]: () => subscription.unsubscribe() };
    },
    [Symbol.dispose]: () => informers.close(),
  };
}
