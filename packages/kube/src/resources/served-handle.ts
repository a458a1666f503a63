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
  const versions = new ServedVersion(newer, older, isOlderServed);
  return {
    type: newer.type,
    get: (key, options) => versions.current.get(key, options),
    find: (key, options) => versions.current.find(key, options),
    list: (options) => versions.call((handle) => handle.list(options)),
    pages: (options) => versions.iterate((handle) => handle.pages(options)),
    watch: (options) => versions.iterate((handle) => handle.watch(options)),
    create: (object, options) => versions.current.create(object, options),
    replace: (object, options) => versions.current.replace(object, options),
    patch: (key, patch, options) => versions.current.patch(key, patch, options),
    apply: (object, options) => versions.current.apply(object, options),
    delete: (key, options) => versions.current.delete(key, options),
    deleteCollection: (list, options) => versions.current.deleteCollection(list, options),
    status: {
      get: (key, options) => versions.current.status.get(key, options),
      replace: (object, options) => versions.current.status.replace(object, options),
      patch: (key, patch, options) => versions.current.status.patch(key, patch, options),
      apply: (object, options) => versions.current.status.apply(object, options),
    },
    subresource: (name) => versions.current.subresource(name),
    createSubresource: (name, key, object, options) => versions.current.createSubresource(name, key, object, options),
  };
}

/** The version of a kind that the server answered to last. */
class ServedVersion<T extends KubeObject> {
  current: ResourceHandle<T>;
  readonly #newer: ResourceHandle<T>;
  readonly #older: ResourceHandle<T>;
  readonly #isOlderServed: () => Promise<boolean>;

  constructor(newer: ResourceHandle<T>, older: ResourceHandle<T>, isOlderServed: () => Promise<boolean>) {
    this.current = newer;
    this.#newer = newer;
    this.#older = older;
    this.#isOlderServed = isOlderServed;
  }

  async call<R>(call: (handle: ResourceHandle<T>) => Promise<R>): Promise<R> {
    const tried = this.current;
    try {
      return await call(tried);
    } catch (error) {
      if (await this.#hasSwitched(tried, error)) return call(this.current);
      throw error;
    }
  }

  async *iterate<R>(call: (handle: ResourceHandle<T>) => AsyncIterable<R>): AsyncGenerator<R> {
    const tried = this.current;
    let hasBegun = false;
    try {
      for await (const item of call(tried)) {
        hasBegun = true;
        yield item;
      }
    } catch (error) {
      if (hasBegun || !(await this.#hasSwitched(tried, error))) throw error;
      yield* call(this.current);
    }
  }

  /** Whether there is another version to try after this refusal. */
  async #hasSwitched(refused: ResourceHandle<T>, error: unknown): Promise<boolean> {
    if (!KubeError.is(error, 'NotFound')) return false;
    // Another call may have switched meanwhile.
    if (this.current !== refused) return true;
    if (this.current === this.#older) this.current = this.#newer;
    else if (await this.#isOlderServed()) this.current = this.#older;
    else return false;
    return true;
  }
}
