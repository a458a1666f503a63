import type { ObjectKey } from '../meta/keys.ts';
import type { IndexFunction } from './store.ts';

/** One index of a store: from a value to the keys of the objects that have it, kept up change by change. */
export class ObjectIndex<T> {
  readonly source: IndexFunction<T>;
  readonly #onFailure: (key: ObjectKey, error: unknown) => void;
  readonly #keys = new Map<string, Set<ObjectKey>>();

  constructor(source: IndexFunction<T>, onFailure: (key: ObjectKey, error: unknown) => void) {
    this.source = source;
    this.#onFailure = onFailure;
  }

  keys(value: string): Iterable<ObjectKey> {
    return this.#keys.get(value) ?? [];
  }

  /** `previous` is what was indexed under the key before, `next` what is now; index functions are pure, so both can be asked. */
  update(key: ObjectKey, previous: T | undefined, next: T | undefined): void {
    const before = this.#values(key, previous);
    const now = this.#values(key, next);
    for (const value of before) if (!now.includes(value)) this.#remove(value, key);
    for (const value of now) this.#add(value, key);
  }

  clear(): void {
    this.#keys.clear();
  }

  /** A function that throws for one object must not stop the watch of all others. */
  #values(key: ObjectKey, object: T | undefined): readonly string[] {
    if (object === undefined) return [];
    try {
      return this.source(object);
    } catch (error) {
      this.#onFailure(key, error);
      return [];
    }
  }

  #add(value: string, key: ObjectKey): void {
    const keys = this.#keys.get(value);
    if (keys) keys.add(key);
    else this.#keys.set(value, new Set([key]));
  }

  #remove(value: string, key: ObjectKey): void {
    const keys = this.#keys.get(value);
    if (!keys) return;
    keys.delete(key);
    // An empty set for each value that once was would be a leak where values come and go, such as cluster names.
    if (keys.size === 0) this.#keys.delete(value);
  }
}
