import { KubeError, type Logger, silentLogger } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import type { Change, Storage, StorageResource } from '../contracts/storage.ts';
import { expired } from '../errors/api-errors.ts';
import { type Journal, noJournal } from './journal.ts';
import { SortedObjects } from './sorted-objects.ts';

/** The state of one resource: its objects, the changes since the last compaction, and its subscribers. */
interface Partition {
  readonly objects: SortedObjects;
  changes: Change[];
  readonly listeners: Set<(change: Change) => void>;
}

/** State in memory; with a journal every write is on disk before a client can see it. */
export const createStorage = (journal: Journal = noJournal, log: Logger = silentLogger): Storage =>
  new MemoryStorage(journal, log);

class MemoryStorage implements Storage {
  readonly #journal: Journal;
  readonly #log: Logger;
  readonly #partitions = new Map<StorageResource, Partition>();
  #revision: number;
  #compactedRevision: number;

  constructor(journal: Journal, log: Logger) {
    this.#journal = journal;
    this.#log = log;
    const loaded = journal.load();
    for (const { resource, key, object } of loaded.records) this.#partitionOf(resource).objects.set(key, object);
    // Revision 0 means "any" in the API, so a new storage starts at 1.
    this.#revision = Math.max(1, loaded.revision);
    // Changes are not journalled: a client that resumes from before a restart lists again.
    this.#compactedRevision = this.#revision;
  }

  get revision() {
    return this.#revision;
  }

  get compactedRevision() {
    return this.#compactedRevision;
  }

  get(resource: StorageResource, key: string): KubeObject | undefined {
    return this.#partitions.get(resource)?.objects.get(key);
  }

  list(resource: StorageResource, namespace?: string): readonly KubeObject[] {
    return this.#partitions.get(resource)?.objects.list(namespace) ?? [];
  }

  listAt(resource: StorageResource, wanted: number, namespace?: string): readonly KubeObject[] {
    this.#expectNotCompacted(wanted);
    const partition = this.#partitions.get(resource);
    if (!partition) return [];
    return undoAfter(partition, wanted).list(namespace);
  }

  put(resource: StorageResource, key: string, object: KubeObject): KubeObject {
    const partition = this.#partitionOf(resource);
    const previous = partition.objects.get(key);
    const next = this.#revision + 1;
    const stored = withRevision(object, next);
    this.#journal.put(next, { resource, key, object: stored });
    this.#commit(
      partition,
      previous
        ? { revision: next, type: 'MODIFIED', key, object: stored, previous }
        : { revision: next, type: 'ADDED', key, object: stored },
    );
    return stored;
  }

  delete(resource: StorageResource, key: string, last?: KubeObject): KubeObject {
    const partition = this.#partitionOf(resource);
    const previous = partition.objects.get(key);
    if (!previous) throw new KubeError('NotFound', `${resource} "${key}" is not stored`, { status: 404 });
    const next = this.#revision + 1;
    const object = withRevision(last ?? previous, next);
    this.#journal.delete(next, resource, key);
    this.#commit(partition, { revision: next, type: 'DELETED', key, object, previous });
    return object;
  }

  changesSince(resource: StorageResource, since: number): readonly Change[] {
    this.#expectNotCompacted(since);
    const changes = this.#partitions.get(resource)?.changes ?? [];
    return changes.slice(firstAfter(changes, since));
  }

  subscribe(resource: StorageResource, listener: (change: Change) => void): () => void {
    const { listeners } = this.#partitionOf(resource);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  compact(upTo: number): void {
    this.#compactedRevision = Math.max(this.#compactedRevision, Math.min(upTo, this.#revision));
    for (const partition of this.#partitions.values()) {
      partition.changes = partition.changes.slice(firstAfter(partition.changes, this.#compactedRevision));
    }
  }

  close(): void {
    this.#journal.close();
  }

  #partitionOf(resource: StorageResource): Partition {
    let partition = this.#partitions.get(resource);
    if (!partition) {
      partition = { objects: new SortedObjects(), changes: [], listeners: new Set() };
      this.#partitions.set(resource, partition);
    }
    return partition;
  }

  #expectNotCompacted(wanted: number): void {
    if (wanted >= this.#compactedRevision) return;
    throw expired(`too old resource version: ${wanted} (${this.#compactedRevision})`);
  }

  #commit(partition: Partition, change: Change): void {
    this.#revision = change.revision;
    if (change.type === 'DELETED') partition.objects.delete(change.key);
    else partition.objects.set(change.key, change.object);
    partition.changes.push(change);
    for (const listener of [...partition.listeners]) {
      try {
        listener(change);
      } catch (error) {
        // The write is durable: neither its client nor the other listeners may suffer for one that fails.
        this.#log.error('a listener of the storage failed', { key: change.key, error });
      }
    }
  }
}

const withRevision = (object: KubeObject, revision: number): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: String(revision) },
});

/** The objects as they were: the newest changes are taken back one by one. */
function undoAfter(partition: Partition, revision: number): SortedObjects {
  const { changes } = partition;
  const first = firstAfter(changes, revision);
  if (first === changes.length) return partition.objects;
  const objects = partition.objects.copy();
  for (const change of changes.slice(first).reverse()) {
    if (change.previous) objects.set(change.key, change.previous);
    else objects.delete(change.key);
  }
  return objects;
}

/** Index of the first change after `revision`; changes are in revision order. */
function firstAfter(changes: readonly Change[], revision: number): number {
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((changes[middle]?.revision ?? 0) <= revision) low = middle + 1;
    else high = middle;
  }
  return low;
}
