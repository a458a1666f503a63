import type { KubeObject } from '@flotilla/schema';

/** An object of the hub as it is known here. */
export interface ReplicaEntry<T extends KubeObject> {
  /** With a resource version of the replica. */
  readonly object: T;
  /** The resource version on the hub, or the generation of a ManifestWork. */
  readonly hubVersion: string;
  /** What the hub calls it in events: its uid, or its name for some kinds of OCM's servers before v1.3. */
  readonly hubId: string;
}

/** A change, in the words of a watch. */
export interface ReplicaChange {
  readonly revision: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
}

/** How many changes can be watched from behind. */
const maxLog = 1000;

/**
 * The objects of one kind of the hub that belong to one cluster. It has resource versions of its own, because events arrive in no order
 * that those of the hub would give, and a watch has to continue from one.
 */
export class Replica<T extends KubeObject> {
  readonly #entries = new Map<string, ReplicaEntry<T>>();
  /** By uid and by what the hub calls it. */
  readonly #keyOfId = new Map<string, string>();
  readonly #log: ReplicaChange[] = [];
  readonly #listeners = new Set<(change: ReplicaChange) => void>();
  #revision = 1;

  get revision(): string {
    return String(this.#revision);
  }

  get(key: string): ReplicaEntry<T> | undefined {
    return this.#entries.get(key);
  }

  byId(id: string | undefined): ReplicaEntry<T> | undefined {
    return this.#entries.get(this.#keyOfId.get(id ?? '') ?? '');
  }

  list(): ReplicaEntry<T>[] {
    return [...this.#entries.values()];
  }

  /** Stores an object; what had its name before, with another uid, is gone. */
  put(object: T, hubVersion: string, hubId: string = object.metadata?.uid ?? ''): ReplicaEntry<T> {
    const key = keyOf(object);
    const previous = this.#entries.get(key);
    if (previous && previous.object.metadata?.uid !== object.metadata?.uid) this.remove(previous.object.metadata?.uid);
    this.#revision += 1;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: this.revision } };
    const entry = { object: stored, hubVersion, hubId };
    const type = this.#entries.has(key) ? 'MODIFIED' : 'ADDED';
    this.#entries.set(key, entry);
    for (const id of idsOf(entry)) this.#keyOfId.set(id, key);
    this.#record(type, stored);
    return entry;
  }

  remove(id: string | undefined): void {
    const entry = this.byId(id);
    if (!entry) return;
    this.#entries.delete(keyOf(entry.object));
    for (const each of idsOf(entry)) this.#keyOfId.delete(each);
    this.#revision += 1;
    const metadata = { ...entry.object.metadata, resourceVersion: this.revision };
    this.#record('DELETED', { ...entry.object, metadata });
  }

  /** The changes after a revision; undefined if they are no longer known. */
  since(revision: number): readonly ReplicaChange[] | undefined {
    if (revision > this.#revision) return undefined;
    const oldest = this.#log[0]?.revision ?? this.#revision + 1;
    if (revision + 1 < oldest && revision < this.#revision) return undefined;
    return this.#log.filter((change) => change.revision > revision);
  }

  /** Calls back for each change from now on; call the result to end. */
  listen(listener: (change: ReplicaChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #record(type: ReplicaChange['type'], object: KubeObject): void {
    const change = { revision: this.#revision, type, object };
    this.#log.push(change);
    if (this.#log.length > maxLog) this.#log.shift();
    for (const listener of this.#listeners) listener(change);
  }
}

const idsOf = ({ object, hubId }: ReplicaEntry<KubeObject>): string[] =>
  [object.metadata?.uid ?? '', hubId].filter((id) => id !== '');

/** `namespace/name`, or the name. */
export const keyOf = ({ metadata = {} }: KubeObject): string =>
  metadata.namespace ? `${metadata.namespace}/${metadata.name}` : `${metadata.name}`;
