import type { KubeObject } from '@flotilla/schema';
import { type Observable, Subject, takeUntil } from 'rxjs';
import type { ObjectKey } from '../meta/keys.ts';
import type { ResourceHandle, SubresourceHandle } from '../resources/resource-handle.ts';
import type { IndexFunction, StoreChange } from '../store/store.ts';
import type { CachedResource, SyncOptions } from './informer.ts';
import type { SharedInformer } from './shared-informer.ts';

/** One caller's handle of an informer: reads go to the common store, `close` releases this handle only. */
export class SharedCachedResource<T extends KubeObject> implements CachedResource<T> {
  readonly #informer: SharedInformer<T>;
  readonly #release: () => void;
  readonly #closed = new Subject<void>();
  readonly changes: Observable<StoreChange<T>>;
  readonly status: SubresourceHandle<T>;

  /** `release` is called once, when this handle is released. */
  constructor(informer: SharedInformer<T>, release: () => void) {
    this.#informer = informer;
    this.#release = release;
    this.changes = informer.changes.pipe(takeUntil(this.#closed));
    const { status } = informer.resource;
    this.status = {
      get: (key, options) => status.get(key, options),
      replace: (object, options) => this.#written(status.replace(object, options), options),
      patch: (key, patch, options) => this.#written(status.patch(key, patch, options), options),
      apply: (object, options) => this.#written(status.apply(object, options), options),
    };
  }

  get(key: ObjectKey): T | undefined {
    return this.#informer.store.get(key);
  }

  has(key: ObjectKey): boolean {
    return this.#informer.store.has(key);
  }

  list(): T[] {
    return this.#informer.store.list();
  }

  keys(): IterableIterator<ObjectKey> {
    return this.#informer.store.keys();
  }

  byIndex(index: string, value: string): T[] {
    return this.#informer.store.byIndex(index, value);
  }

  get size(): number {
    return this.#informer.store.size;
  }

  addIndex(name: string, index: IndexFunction<T>): void {
    this.#informer.store.addIndex(name, index);
  }

  get resource(): ResourceHandle<T> {
    return this.#informer.resource;
  }

  get synced(): boolean {
    return this.#informer.synced;
  }

  get lastError(): Error | undefined {
    return this.#informer.lastError;
  }

  whenSynced(options?: SyncOptions): Promise<void> {
    return this.#informer.whenSynced(options);
  }

  find: ResourceHandle<T>['find'] = (key, options) => this.resource.find(key, options);
  create: ResourceHandle<T>['create'] = (object, options) => this.resource.create(object, options);
  delete: ResourceHandle<T>['delete'] = (key, options) => this.resource.delete(key, options);
  replace: ResourceHandle<T>['replace'] = (object, options) =>
    this.#written(this.resource.replace(object, options), options);
  patch: ResourceHandle<T>['patch'] = (key, patch, options) =>
    this.#written(this.resource.patch(key, patch, options), options);
  apply: ResourceHandle<T>['apply'] = (object, options) => this.#written(this.resource.apply(object, options), options);

  close(): void {
    if (this.#closed.closed) return;
    this.#closed.next();
    this.#closed.unsubscribe();
    this.#release();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async #written(answer: Promise<T>, options: { dryRun?: boolean } | undefined): Promise<T> {
    const object = await answer;
    if (!options?.dryRun) this.#informer.advance(object);
    return object;
  }
}
