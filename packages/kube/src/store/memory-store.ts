import type { KubeObject } from '@flotilla/schema';
import { KubeError } from '../errors/kube-error.ts';
import type { ObjectKey } from '../meta/keys.ts';
import { keyOf } from '../meta/keys.ts';
import { isNotNewer } from '../meta/resource-version.ts';
import { ObjectIndex } from './object-index.ts';
import type { IndexFunction, Store, StoreChange } from './store.ts';

/** Called when an index function throws; the object is then stored without values in that index. */
export type IndexFailure = (index: string, key: ObjectKey, error: unknown) => void;

/**
 * A store in memory. Writers get the change that they made, or nothing if they made none; each write is one synchronous
 * step, objects and indexes together, so no reader ever sees half of it.
 */
export class MemoryStore<T extends KubeObject> implements Store<T> {
  readonly #objects = new Map<ObjectKey, T>();
  readonly #indexes = new Map<string, ObjectIndex<T>>();
  readonly #onIndexFailure: IndexFailure | undefined;

  constructor(options: { onIndexFailure?: IndexFailure } = {}) {
    this.#onIndexFailure = options.onIndexFailure;
  }

  get(key: ObjectKey): T | undefined {
    return this.#objects.get(key);
  }

  has(key: ObjectKey): boolean {
    return this.#objects.has(key);
  }

  list(): T[] {
    return [...this.#objects.values()];
  }

  keys(): IterableIterator<ObjectKey> {
    return this.#objects.keys();
  }

  get size(): number {
    return this.#objects.size;
  }

  byIndex(index: string, value: string): T[] {
    const found = this.#indexes.get(index);
    if (!found)
      throw new KubeError('Config', `the store has no index "${index}": add it with addIndex before reading it`);
    const objects: T[] = [];
    for (const key of found.keys(value)) {
      const object = this.#objects.get(key);
      if (object) objects.push(object);
    }
    return objects;
  }

  /** Adds an index over what is there and what comes. The same name and function again is fine, another function is not. */
  addIndex(name: string, values: IndexFunction<T>): void {
    const existing = this.#indexes.get(name);
    if (existing?.source === values) return;
    if (existing)
      throw new KubeError('Config', `index "${name}" exists with another function: give one of the two another name`);
    const index = new ObjectIndex(values, (key, error) => this.#onIndexFailure?.(name, key, error));
    for (const [key, object] of this.#objects) index.update(key, undefined, object);
    this.#indexes.set(name, index);
  }

  /** Takes an object as the server sent it; one that is not newer than the held one is ignored. */
  set(object: T, initial = false): StoreChange<T> | undefined {
    const key = keyOf(object);
    const previous = this.#objects.get(key);
    if (previous && isNotNewer(object.metadata?.resourceVersion, previous.metadata?.resourceVersion)) return undefined;
    return this.#put(key, previous, object, initial);
  }

  /** Takes the answer to a write, but only as a newer version of an object that is here: an object deleted meanwhile must not come back. */
  advance(object: T): StoreChange<T> | undefined {
    const previous = this.#objects.get(keyOf(object));
    return previous && previous.metadata?.uid === object.metadata?.uid ? this.set(object) : undefined;
  }

  /** Removes an object; `last` is its final state as the server sent it. */
  delete(last: T): StoreChange<T> | undefined {
    const key = keyOf(last);
    const previous = this.#objects.get(key);
    return previous && this.#remove(key, previous, last);
  }

  /**
   * Replaces all objects by the result of a list. What was not listed counts as deleted, what has the same resource version stays
   * the object that it was. A version that goes backwards is taken too: the server was restored from a backup, and it is the truth.
   */
  replace(objects: Iterable<T>, initial: boolean): StoreChange<T>[] {
    const changes: StoreChange<T>[] = [];
    const listed = new Set<ObjectKey>();
    for (const object of objects) {
      const key = keyOf(object);
      listed.add(key);
      const previous = this.#objects.get(key);
      const version = object.metadata?.resourceVersion;
      if (previous && version !== undefined && previous.metadata?.resourceVersion === version) continue;
      changes.push(this.#put(key, previous, object, initial));
    }
    for (const [key, object] of this.#objects) {
      if (!listed.has(key)) changes.push(this.#remove(key, object, object));
    }
    return changes;
  }

  /** Frees all objects and indexes, without notifying subscribers. */
  clear(): void {
    this.#objects.clear();
    for (const index of this.#indexes.values()) index.clear();
  }

  #put(key: ObjectKey, previous: T | undefined, object: T, initial: boolean): StoreChange<T> {
    this.#objects.set(key, object);
    for (const index of this.#indexes.values()) index.update(key, previous, object);
    return previous ? { type: 'updated', key, object, previous, initial } : { type: 'added', key, object, initial };
  }

  #remove(key: ObjectKey, previous: T, last: T): StoreChange<T> {
    this.#objects.delete(key);
    for (const index of this.#indexes.values()) index.update(key, previous, undefined);
    return { type: 'deleted', key, object: last, previous, initial: false };
  }
}
