import type { ObjectKey } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';

/** What is made of the spec of objects, once for each generation: a template may be half a megabyte, and changes of a status come often. */
export class OfGeneration<T extends KubeObject, R> {
  readonly #make: (object: T) => R;
  readonly #made = new Map<ObjectKey, { readonly uid?: string; readonly generation?: number; readonly result: R }>();

  constructor(make: (object: T) => R) {
    this.#make = make;
  }

  of(key: ObjectKey, object: T): R {
    const { uid, generation } = object.metadata ?? {};
    const known = this.#made.get(key);
    if (known && known.uid === uid && known.generation === generation) return known.result;
    const result = this.#make(object);
    this.#made.set(key, { uid, generation, result });
    return result;
  }

  forget(key: ObjectKey): void {
    this.#made.delete(key);
  }
}
