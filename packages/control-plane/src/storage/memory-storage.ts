import { KubeError, type Logger, silentLogger } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import type { Change, Storage, StorageResource } from '../contracts/storage.ts';
import { expired } from '../errors/api-errors.ts';
import { defaultLimits, type Limits } from '../limits/limits.ts';
import { History } from './history.ts';
import { type Journal, noJournal } from './journal.ts';
import { approximateBytes } from './size.ts';
import { SortedObjects } from './sorted-objects.ts';

/** The state of one resource: its objects, the changes since the last compaction, and its subscribers. */
interface Partition {
  readonly objects: SortedObjects;
  readonly history: History;
  readonly listeners: Set<(change: Change) => void>;
}

/** State in memory; with a journal every write is on disk before a client can see it. */
export const createStorage = (
  journal: Journal = noJournal,
  log: Logger = silentLogger,
  { maxHistoryBytes }: Pick<Limits, 'maxHistoryBytes'> = defaultLimits,
): Storage => new MemoryStorage(journal, log, maxHistoryBytes);

class MemoryStorage implements Storage {
  readonly #journal: Journal;
  readonly #log: Logger;
  readonly #maxHistoryBytes: number;
  readonly #partitions = new Map<StorageResource, Partition>();
  #revision: number;
  #compactedRevision: number;

  constructor(journal: Journal, log: Logger, maxHistoryBytes: number) {
    this.#journal = journal;
    this.#log = log;
    this.#maxHistoryBytes = maxHistoryBytes;
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

  compactedRevision(resource: StorageResource): number {
    return Math.max(this.#compactedRevision, this.#partitions.get(resource)?.history.compactedRevision ?? 0);
  }

  get(resource: StorageResource, key: string): KubeObject | undefined {
    return this.#partitions.get(resource)?.objects.get(key);
  }

  list(resource: StorageResource, namespace?: string): readonly KubeObject[] {
    return this.#partitions.get(resource)?.objects.list(namespace) ?? [];
  }

  listAt(resource: StorageResource, wanted: number, namespace?: string): readonly KubeObject[] {
    this.#expectNotCompacted(resource, wanted);
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
    const change = { revision: next, key, object: stored, bytes: approximateBytes(stored) };
    this.#commit(partition, previous ? { ...change, type: 'MODIFIED', previous } : { ...change, type: 'ADDED' });
    return stored;
  }

  delete(resource: StorageResource, key: string, last?: KubeObject): KubeObject {
    const partition = this.#partitionOf(resource);
    const previous = partition.objects.get(key);
    if (!previous) throw new KubeError('NotFound', `${resource} "${key}" is not stored`, { status: 404 });
    const next = this.#revision + 1;
    const object = withRevision(last ?? previous, next);
    this.#journal.delete(next, resource, key);
    this.#commit(partition, {
      revision: next,
      type: 'DELETED',
      key,
      object,
      bytes: approximateBytes(object),
      previous,
    });
    return object;
  }

  changesSince(resource: StorageResource, since: number): readonly Change[] {
    this.#expectNotCompacted(resource, since);
    return this.#partitions.get(resource)?.history.after(since) ?? [];
  }

  subscribe(resource: StorageResource, listener: (change: Change) => void): () => void {
    const { listeners } = this.#partitionOf(resource);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  compact(upTo: number): void {
    this.#compactedRevision = Math.max(this.#compactedRevision, Math.min(upTo, this.#revision));
    for (const { history } of this.#partitions.values()) history.compact(this.#compactedRevision);
  }

  close(): void {
    this.#journal.close();
  }

  #partitionOf(resource: StorageResource): Partition {
    let partition = this.#partitions.get(resource);
    if (!partition) {
      partition = { objects: new SortedObjects(), history: new History(), listeners: new Set() };
      this.#partitions.set(resource, partition);
    }
    return partition;
  }

  #expectNotCompacted(resource: StorageResource, wanted: number): void {
    const oldest = this.compactedRevision(resource);
    if (wanted < oldest) throw expired(`too old resource version: ${wanted} (${oldest})`);
  }

  /** Shortens the longest history: whoever changes much has to list again, and nobody else. */
  #boundHistory(): void {
    let bytes = 0;
    let largest: History | undefined;
    for (const { history } of this.#partitions.values()) {
      bytes += history.bytes;
      if (history.bytes > (largest?.bytes ?? 0)) largest = history;
    }
    if (bytes > this.#maxHistoryBytes) largest?.halve();
  }

  #commit(partition: Partition, change: Change): void {
    this.#revision = change.revision;
    if (change.type === 'DELETED') partition.objects.delete(change.key);
    else partition.objects.set(change.key, change.object);
    partition.history.add(change);
    this.#boundHistory();
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
function undoAfter({ objects, history }: Partition, revision: number): SortedObjects {
  const changes = history.after(revision);
  if (changes.length === 0) return objects;
  const then = objects.copy();
  for (const change of changes.reverse()) {
    if (change.previous) then.set(change.key, change.previous);
    else then.delete(change.key);
  }
  return then;
}
