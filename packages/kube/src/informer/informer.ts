import type { KubeObject } from '@flotilla/schema';
import type { Observable } from 'rxjs';
import type { KubeErrorCode } from '../errors/codes.ts';
import type { ResourceHandle } from '../resources/resource-handle.ts';
import type { IndexFunction, Store, StoreChange } from '../store/store.ts';

/** Which objects of a kind are cached, and how. */
export interface InformerOptions<T extends KubeObject> {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** Drops fields before caching. Same function value, same shared informer. Default: managedFields and the last-applied annotation go. */
  transform?: (object: T) => T;
  indexes?: Record<string, IndexFunction<T>>;
}

/** How long to wait for the first list. */
export interface SyncOptions {
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  /** Errors of the list that end the wait: `NotFound` for a kind that need not be installed. The informer goes on trying. */
  endsOn?: readonly KubeErrorCode[];
  /** How long every try must have failed with the same one of these errors: a server that starts gives them for a moment. Default: 0. */
  endsAfterMs?: number;
}

/** A watched kind: a store that follows the server. One per client, kind and selection, shared by all who ask. */
export interface Informer<T extends KubeObject> extends Store<T>, Disposable {
  readonly resource: ResourceHandle<T>;
  /** True once the first list is in. */
  readonly synced: boolean;
  /** Hot; what is in the store at subscription comes first, as `added` with `initial`. Completes when the informer is closed. */
  readonly changes: Observable<StoreChange<T>>;
  /** Rejects with KubeError `Timeout` and the last list or watch error if not synced in time. */
  whenSynced(options?: SyncOptions): Promise<void>;
  /** Adds an index over what is there and what comes; adding the same name and function again is fine. */
  addIndex(name: string, index: IndexFunction<T>): void;
  /** The last failure while not watching, for conditions and health; undefined while all is well. */
  readonly lastError: Error | undefined;
  /** Gives it back. The watch ends and memory and metrics are freed when everyone who asked for it did. */
  close(): void;
}

/**
 * Reads from the cache, writes to the server; `find` asks the server too. What controllers are given.
 * The answer to a write is put in the cache at once, so the next reconcile does not decide on what it has just replaced.
 */
export type CachedResource<T extends KubeObject> = Informer<T> &
  Pick<ResourceHandle<T>, 'find' | 'create' | 'replace' | 'patch' | 'apply' | 'delete' | 'status'>;
