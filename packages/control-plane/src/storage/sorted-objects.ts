import type { ObjectKey } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';

/** The objects of one resource in key order. A namespace is a range of keys, so listing one does not read the others. */
export class SortedObjects {
  readonly #objects = new Map<ObjectKey, KubeObject>();
  readonly #keys: ObjectKey[] = [];

  get(key: ObjectKey): KubeObject | undefined {
    return this.#objects.get(key);
  }

  set(key: ObjectKey, object: KubeObject): void {
    if (!this.#objects.has(key)) this.#keys.splice(this.#position(key), 0, key);
    this.#objects.set(key, object);
  }

  delete(key: ObjectKey): void {
    if (this.#objects.delete(key)) this.#keys.splice(this.#position(key), 1);
  }

  list(namespace?: string): KubeObject[] {
    const from = namespace === undefined ? 0 : this.#position(`${namespace}/`);
    // '0' is the character after '/': the first key that is no longer in the namespace.
    const to = namespace === undefined ? this.#keys.length : this.#position(`${namespace}0`);
    const objects: KubeObject[] = [];
    for (let index = from; index < to; index++) {
      const object = this.#objects.get(this.#keys[index] ?? '');
      if (object) objects.push(object);
    }
    return objects;
  }

  copy(): SortedObjects {
    const copy = new SortedObjects();
    for (const key of this.#keys) {
      const object = this.#objects.get(key);
      if (!object) continue;
      copy.#keys.push(key);
      copy.#objects.set(key, object);
    }
    return copy;
  }

  /** Index of the first key that is not before `key`. */
  #position(key: ObjectKey): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] ?? '') < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
