import type { KubeList, KubeObject, ResourceType } from '@flotilla/schema';
import type { RequestPriority } from '../client/transport.ts';
import type { ObjectKey } from '../meta/keys.ts';

/** What every call takes; the same words as in KubeRequest. */
export interface CallOptions {
  signal?: AbortSignal;
  deadlineMs?: number;
  priority?: RequestPriority;
}

/** Which objects to list. */
export interface ListOptions extends CallOptions {
  /** Unset means all namespaces (or that the kind has none). */
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** Objects per page; default 500. 0 reads all at once. */
  pageSize?: number;
  resourceVersion?: string;
  resourceVersionMatch?: 'Exact' | 'NotOlderThan';
}

/** Which objects to watch, and from when. */
export interface WatchOptions extends CallOptions {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  resourceVersion?: string;
  /** A streaming list: every object as ADDED, then a bookmark annotated `k8s.io/initial-events-end`, then changes. */
  sendInitialEvents?: boolean;
  timeoutSeconds?: number;
  /** Called when the server accepted the watch, which may be long before the first event. `monitored` as in KubeStream. */
  onOpen?: (opened: { monitored: boolean }) => void;
}

/** One event of a watch. A bookmark says how far the server has come, although nothing happened. */
export type WatchEvent<T extends KubeObject> =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: T }
  | { type: 'BOOKMARK'; object: { metadata: { resourceVersion: string; annotations?: Record<string, string> } } };

/** How an object is written. */
export interface WriteOptions extends CallOptions {
  dryRun?: boolean;
  fieldManager?: string;
  fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
}

/** How an object is applied, by the field manager of the client unless another is given; `force` takes fields over from other managers. */
export interface ApplyOptions extends WriteOptions {
  force?: boolean;
}

/** How an object is deleted; `preconditions` guard against deleting another of the same name. */
export interface DeleteOptions extends CallOptions {
  preconditions?: { uid?: string; resourceVersion?: string };
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  gracePeriodSeconds?: number;
  dryRun?: boolean;
}

/** A change of an object, in one of the three forms that the server understands. */
export type Patch =
  | { type: 'json'; body: readonly JsonPatchOperation[] }
  | { type: 'merge'; body: object }
  | { type: 'strategic'; body: object };

/** One step of a JSON patch (RFC 6902). */
export type JsonPatchOperation =
  | { op: 'add' | 'replace' | 'test'; path: string; value: unknown }
  | { op: 'remove'; path: string }
  | { op: 'move' | 'copy'; from: string; path: string };

/** Calls of one subresource (`status`, `scale`, `approval`, …) with the same shapes as those of the resource. */
export interface SubresourceHandle<T extends KubeObject> {
  get(key: ObjectKey, options?: CallOptions): Promise<T>;
  replace(object: T, options?: WriteOptions): Promise<T>;
  patch(key: ObjectKey, patch: Patch, options?: WriteOptions): Promise<T>;
  apply(object: T, options?: ApplyOptions): Promise<T>;
}

/** All calls on one kind. Every call goes to the server; for reads from the cache see CachedResource. */
export interface ResourceHandle<T extends KubeObject> {
  readonly type: ResourceType<T>;
  get(key: ObjectKey, options?: CallOptions): Promise<T>;
  /** Like get, but absence is `undefined`. */
  find(key: ObjectKey, options?: CallOptions): Promise<T | undefined>;
  /** Every page in one list. */
  list(options?: ListOptions): Promise<KubeList<T>>;
  /** Page by page, so that a caller need not hold all. */
  pages(options?: ListOptions): AsyncIterable<KubeList<T>>;
  /** One watch request with bookmarks, no resume: the reflector adds that. Throws KubeError `Expired` on 410. */
  watch(options: WatchOptions): AsyncIterable<WatchEvent<T>>;
  create(object: T, options?: WriteOptions): Promise<T>;
  replace(object: T, options?: WriteOptions): Promise<T>;
  patch(key: ObjectKey, patch: Patch, options?: WriteOptions): Promise<T>;
  apply(object: T, options?: ApplyOptions): Promise<T>;
  /** Resolves when the server accepted the deletion; finalizers may keep the object a while. Absence is not an error. */
  delete(key: ObjectKey, options?: DeleteOptions): Promise<void>;
  deleteCollection(list: ListOptions, options?: DeleteOptions): Promise<void>;
  readonly status: SubresourceHandle<T>;
  /** Any other subresource: `subresource<Scale>('scale')`. */
  subresource<S extends KubeObject>(name: string): SubresourceHandle<S>;
  /** POST to a subresource: TokenRequest, Eviction, Binding. */
  createSubresource<S extends KubeObject>(name: string, key: ObjectKey, object: S, options?: WriteOptions): Promise<S>;
}
