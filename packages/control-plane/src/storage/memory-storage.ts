import type { KubeObject } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';
import { expired } from '../errors/api-errors.ts';
import { type Journal, noJournal } from './journal.ts';
import { SortedObjects } from './sorted-objects.ts';
import type { Change, Storage, StorageResource } from './storage.ts';

/** What is kept of one resource: its objects, the changes since the last compaction, and who listens. */
interface Shelf {
  readonly objects: SortedObjects;
  changes: Change[];
  readonly listeners: Set<(change: Change) => void>;
}

/** State in memory; with a journal every write is on disk before anybody can see it. */
export function createStorage(journal: Journal = noJournal): Storage {
  const shelves = new Map<StorageResource, Shelf>();
  const shelfOf = (resource: StorageResource): Shelf => {
    let shelf = shelves.get(resource);
    if (!shelf) {
      shelf = { objects: new SortedObjects(), changes: [], listeners: new Set() };
      shelves.set(resource, shelf);
    }
    return shelf;
  };

  const loaded = journal.load();
  for (const { resource, key, object } of loaded.records) shelfOf(resource).objects.set(key, object);
  // Revision 0 means "any" in the API, so a new storage starts at 1.
  let revision = Math.max(1, loaded.revision);
  // Changes are not journalled: a client that resumes from before a restart lists again.
  let compactedRevision = revision;

  const expectNotCompacted = (wanted: number): void => {
    if (wanted >= compactedRevision) return;
    throw expired(`too old resource version: ${wanted} (${compactedRevision})`);
  };

  const commit = (shelf: Shelf, change: Change): void => {
    revision = change.revision;
    if (change.type === 'DELETED') shelf.objects.delete(change.key);
    else shelf.objects.set(change.key, change.object);
    shelf.changes.push(change);
    for (const listener of [...shelf.listeners]) listener(change);
  };

  return {
    get revision() {
      return revision;
    },
    get compactedRevision() {
      return compactedRevision;
    },
    get: (resource, key) => shelves.get(resource)?.objects.get(key),
    list: (resource, namespace) => shelves.get(resource)?.objects.list(namespace) ?? [],
    listAt(resource, wanted, namespace) {
      expectNotCompacted(wanted);
      const shelf = shelves.get(resource);
      if (!shelf) return [];
      return undoAfter(shelf, wanted).list(namespace);
    },
    put(resource, key, object) {
      const shelf = shelfOf(resource);
      const previous = shelf.objects.get(key);
      const next = revision + 1;
      const stored = withRevision(object, next);
      journal.put(next, { resource, key, object: stored });
      commit(
        shelf,
        previous
          ? { revision: next, type: 'MODIFIED', key, object: stored, previous }
          : { revision: next, type: 'ADDED', key, object: stored },
      );
      return stored;
    },
    delete(resource, key, last) {
      const shelf = shelfOf(resource);
      const previous = shelf.objects.get(key);
      if (!previous) throw new KubeError('NotFound', `${resource} "${key}" is not stored`, { status: 404 });
      const next = revision + 1;
      const object = withRevision(last ?? previous, next);
      journal.delete(next, resource, key);
      commit(shelf, { revision: next, type: 'DELETED', key, object, previous });
      return object;
    },
    changesSince(resource, since) {
      expectNotCompacted(since);
      const changes = shelves.get(resource)?.changes ?? [];
      return changes.slice(firstAfter(changes, since));
    },
    subscribe(resource, listener) {
      const { listeners } = shelfOf(resource);
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    compact(upTo) {
      compactedRevision = Math.max(compactedRevision, Math.min(upTo, revision));
      for (const shelf of shelves.values()) {
        shelf.changes = shelf.changes.slice(firstAfter(shelf.changes, compactedRevision));
      }
    },
    close: () => journal.close(),
  };
}

const withRevision = (object: KubeObject, revision: number): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: String(revision) },
});

/** The objects as they were: the newest changes are taken back one by one. */
function undoAfter(shelf: Shelf, revision: number): SortedObjects {
  const { changes } = shelf;
  const first = firstAfter(changes, revision);
  if (first === changes.length) return shelf.objects;
  const objects = shelf.objects.copy();
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
