import type { ObjectKey } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';

/** `group/plural` (`/configmaps` for the core group): all versions of a resource share one storage. */
export type StorageResource = string;

/** One committed write. Objects are shared and must not be changed. */
export interface Change {
  readonly revision: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly key: ObjectKey;
  /** As stored, with its resourceVersion; for DELETED the last state, with the revision of the deletion. */
  readonly object: KubeObject;
  /** About how much memory the object takes. */
  readonly bytes: number;
  /** What was there before; unset for ADDED. */
  readonly previous?: KubeObject;
}

/**
 * Objects under one revision counter over all resources, as in etcd. Every call is synchronous: between a read and the write that
 * follows it nothing else can happen, which is what makes the verbs above free of races.
 */
export interface Storage {
  /** The revision of the newest write. */
  readonly revision: number;
  /** Changes of the resource at or before this revision are gone: reading from before it throws KubeError `Expired`. */
  compactedRevision(resource: StorageResource): number;
  get(resource: StorageResource, key: ObjectKey): KubeObject | undefined;
  /** In key order, bytewise, as etcd lists. */
  list(resource: StorageResource, namespace?: string): readonly KubeObject[];
  /** The list as it was at a revision, for the later pages of a list. */
  listAt(resource: StorageResource, revision: number, namespace?: string): readonly KubeObject[];
  /** Stores under the next revision and returns the object with its resourceVersion set. Durable when it returns. */
  put(resource: StorageResource, key: ObjectKey, object: KubeObject): KubeObject;
  /** Removes and returns the last state with the revision of the deletion. `last` replaces what was stored, if given. */
  delete(resource: StorageResource, key: ObjectKey, last?: KubeObject): KubeObject;
  /** Changes after `revision`, oldest first. */
  changesSince(resource: StorageResource, revision: number): readonly Change[];
  /** Called synchronously after each commit. Call the result to unsubscribe. */
  subscribe(resource: StorageResource, listener: (change: Change) => void): () => void;
  compact(revision: number): void;
  close(): void;
}
