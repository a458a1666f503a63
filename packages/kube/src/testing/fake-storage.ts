import type { KubeObject } from '@flotilla/schema';
import type { Clock } from '../clock/clock.ts';
import { semanticEqual } from '../meta/equality.ts';
import { joinKey } from '../meta/keys.ts';
import { formatTime } from '../meta/time.ts';

/** An object of any kind, as stored. */
export interface StoredObject extends KubeObject {
  [field: string]: unknown;
}

/** One change, in the order of resource versions. */
export interface StorageEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  collection: string;
  object: StoredObject;
  resourceVersion: number;
}

/** A refusal in the words of the API server. */
export class StorageError extends Error {
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/** Objects in memory with the API server's rules: resource versions, conflicts, no write without a change, finalizers. */
export class FakeStorage {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #collections = new Map<string, Map<string, StoredObject>>();
  readonly #history: StorageEvent[] = [];
  readonly #listeners = new Set<(event: StorageEvent) => void>();
  #resourceVersion = 100;
  #uids = 0;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  get resourceVersion(): number {
    return this.#resourceVersion;
  }

  list(collection: string): StoredObject[] {
    return [...(this.#collections.get(collection)?.values() ?? [])].map((object) => structuredClone(object));
  }

  get(collection: string, key: string): StoredObject {
    const object = this.#collections.get(collection)?.get(key);
    if (!object) throw new StorageError(404, 'NotFound', `${collection} "${key}" not found`);
    return structuredClone(object);
  }

  create(collection: string, object: StoredObject): StoredObject {
    const { name, namespace, generateName } = object.metadata ?? {};
    const finalName = name || `${generateName}${(++this.#uids).toString(36).padStart(5, '0')}`;
    const key = joinKey(namespace, finalName);
    if (this.#collections.get(collection)?.has(key)) {
      throw new StorageError(409, 'AlreadyExists', `${collection} "${key}" already exists`);
    }
    const metadata = {
      ...object.metadata,
      name: finalName,
      uid: `uid-${++this.#uids}`,
      generation: 1,
      creationTimestamp: formatTime(this.#clock.now()),
    };
    return this.#store('ADDED', collection, key, { ...object, metadata });
  }

  /** Replaces an object, or only its status; an unset resource version means "whatever is there". */
  replace(collection: string, key: string, next: StoredObject, part: 'object' | 'status'): StoredObject {
    const current = this.get(collection, key);
    const expected = next.metadata?.resourceVersion;
    if (expected && expected !== current.metadata?.resourceVersion) {
      throw new StorageError(409, 'Conflict', `${collection} "${key}": the object has been modified`);
    }
    if (next.metadata?.uid && next.metadata.uid !== current.metadata?.uid) {
      throw new StorageError(409, 'Conflict', `${collection} "${key}": the uid does not match`);
    }
    const merged: StoredObject =
      part === 'status' ? { ...current, status: next.status } : { ...next, status: current.status };
    const { uid, generation = 1, creationTimestamp, deletionTimestamp, resourceVersion } = current.metadata ?? {};
    merged.metadata = {
      ...(part === 'status' ? current.metadata : next.metadata),
      uid,
      creationTimestamp,
      resourceVersion,
      generation: semanticEqual(current.spec, merged.spec) ? generation : generation + 1,
      ...(deletionTimestamp && { deletionTimestamp }),
    };
    if (deletionTimestamp && !merged.metadata.finalizers?.length) return this.#remove(collection, key, merged);
    if (semanticEqual(current, merged)) return current;
    return this.#store('MODIFIED', collection, key, merged);
  }

  delete(
    collection: string,
    key: string,
    preconditions: { uid?: string; resourceVersion?: string } = {},
  ): StoredObject {
    const current = this.get(collection, key);
    for (const field of ['uid', 'resourceVersion'] as const) {
      if (preconditions[field] && preconditions[field] !== current.metadata?.[field]) {
        throw new StorageError(409, 'Conflict', `${collection} "${key}": the precondition on ${field} failed`);
      }
    }
    if (!current.metadata?.finalizers?.length) return this.#remove(collection, key, current);
    if (current.metadata.deletionTimestamp) return current;
    const metadata = { ...current.metadata, deletionTimestamp: formatTime(this.#clock.now()) };
    return this.#store('MODIFIED', collection, key, { ...current, metadata });
  }

  /** Calls back with every change after a resource version, past ones first; call the result to stop. */
  watch(after: number, listener: (event: StorageEvent) => void): () => void {
    for (const event of this.#history) if (event.resourceVersion > after) listener(event);
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #store(type: 'ADDED' | 'MODIFIED', collection: string, key: string, object: StoredObject): StoredObject {
    const objects = this.#collections.get(collection) ?? new Map<string, StoredObject>();
    this.#collections.set(collection, objects);
    const stored = this.#stamp(object);
    objects.set(key, stored);
    return this.#publish(type, collection, stored);
  }

  #remove(collection: string, key: string, object: StoredObject): StoredObject {
    this.#collections.get(collection)?.delete(key);
    return this.#publish('DELETED', collection, this.#stamp(object));
  }

  #stamp(object: StoredObject): StoredObject {
    const resourceVersion = String(++this.#resourceVersion);
    return structuredClone({ ...object, metadata: { ...object.metadata, resourceVersion } });
  }

  #publish(type: StorageEvent['type'], collection: string, object: StoredObject): StoredObject {
    const event = { type, collection, object: structuredClone(object), resourceVersion: this.#resourceVersion };
    this.#history.push(event);
    for (const listener of [...this.#listeners]) listener(event);
    return structuredClone(object);
  }
}
