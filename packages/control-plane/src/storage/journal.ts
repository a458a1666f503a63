import type { ObjectKey } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import type { StorageResource } from '../contracts/storage.ts';

export interface JournalRecord {
  readonly resource: StorageResource;
  readonly key: ObjectKey;
  readonly object: KubeObject;
}

/** Where a storage keeps its objects across restarts. A write is durable when the call returns. */
export interface Journal {
  /** A revision that no client has seen, not even of writes that were lost, and every object that is there. Called once, at start. */
  load(): { readonly revision: number; readonly records: readonly JournalRecord[] };
  put(revision: number, record: JournalRecord): void;
  delete(revision: number, resource: StorageResource, key: ObjectKey): void;
  /** Writes as much as the last write that failed; throws if it cannot. */
  verify(): void;
  close(): void;
}

/** Keeps nothing: the state ends with the process. */
export const noJournal: Journal = {
  load: () => ({ revision: 0, records: [] }),
  put() {},
  delete() {},
  verify() {},
  close() {},
};
