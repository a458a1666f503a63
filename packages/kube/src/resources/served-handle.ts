import type { KubeObject } from '@flotilla/schema';
import { KubeError } from '../errors/kube-error.ts';
import type { ResourceHandle } from './resource-handle.ts';

/**
 * The calls on a kind of which a server may serve an older version only. The newer one is used until a list or a watch of it answers
 * that there is no such kind; then the older one if the server has it. So a server with the newer version costs no request more.
 * If it has neither, the refusal is passed on, and the next list or watch tries both again.
 */
export function servedHandle<T extends KubeObject>(
  newer: ResourceHandle<T>,
  older: ResourceHandle<T>,
  isOlderServed: () => Promise<boolean>,
): ResourceHandle<T> {
  let current = newer;

  /** Whether there is another version to try after this refusal. */
  const hasSwitched = async (refused: ResourceHandle<T>, error: unknown): Promise<boolean> => {
    if (!KubeError.is(error, 'NotFound')) return false;
    // Another call may have switched meanwhile.
    if (current !== refused) return true;
    if (current === older) current = newer;
    else if (await isOlderServed()) current = older;
    else return false;
    return true;
  };

  const inServedVersion = async <R>(call: (handle: ResourceHandle<T>) => Promise<R>): Promise<R> => {
    const tried = current;
    try {
      return await call(tried);
    } catch (error) {
      if (await hasSwitched(tried, error)) return call(current);
      throw error;
    }
  };

  async function* iterated<R>(call: (handle: ResourceHandle<T>) => AsyncIterable<R>): AsyncGenerator<R> {
    const tried = current;
    let hasBegun = false;
    try {
      for await (const item of call(tried)) {
        hasBegun = true;
        yield item;
      }
    } catch (error) {
      if (hasBegun || !(await hasSwitched(tried, error))) throw error;
      yield* call(current);
    }
  }

  return {
    type: newer.type,
    get: (key, options) => current.get(key, options),
    find: (key, options) => current.find(key, options),
    list: (options) => inServedVersion((handle) => handle.list(options)),
    pages: (options) => iterated((handle) => handle.pages(options)),
    watch: (options) => iterated((handle) => handle.watch(options)),
    create: (object, options) => current.create(object, options),
    replace: (object, options) => current.replace(object, options),
    patch: (key, patch, options) => current.patch(key, patch, options),
    apply: (object, options) => current.apply(object, options),
    delete: (key, options) => current.delete(key, options),
    deleteCollection: (list, options) => current.deleteCollection(list, options),
    status: {
      get: (key, options) => current.status.get(key, options),
      replace: (object, options) => current.status.replace(object, options),
      patch: (key, patch, options) => current.status.patch(key, patch, options),
      apply: (object, options) => current.status.apply(object, options),
    },
    subresource: (name) => current.subresource(name),
    createSubresource: (name, key, object, options) => current.createSubresource(name, key, object, options),
  };
}
