import { type CachedResource, KubeError, keyOf, type ResourceHandle, type StoreChange } from '@flotilla/kube';
import type { KubeObject, ResourceType } from '@flotilla/schema';
import { Observable, Subject } from 'rxjs';

/** What a merge patch of the scheduler changes. */
interface PatchBody {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string | null>> };
  readonly status?: object;
}

const unsupported = (): never => {
  throw new KubeError('Config', 'the scheduler is not supposed to do this');
};

/** One kind of a hub without a server: what is written is in the cache at once, and nothing costs but the program itself. */
export class MemoryResource<T extends KubeObject> implements CachedResource<T> {
  readonly type: ResourceType<T>;
  readonly synced = true;
  readonly lastError = undefined;
  readonly changes: Observable<StoreChange<T>>;
  readonly resource: ResourceHandle<T>;
  /** What the cache makes of an object. */
  transform: (object: T) => T = (object) => object;
  /** Writes of the scheduler so far. */
  writes = 0;
  readonly #objects = new Map<string, T>();
  readonly #live = new Subject<StoreChange<T>>();
  #version = 0;

  constructor(type: ResourceType<T>) {
    this.type = type;
    this.changes = new Observable((subscriber) => {
      for (const [key, object] of this.#objects) subscriber.next({ type: 'added', key, object, initial: true });
      return this.#live.subscribe(subscriber);
    });
    this.resource = new Proxy<ResourceHandle<T>>(Object.create(null), { get: () => unsupported });
  }

  /** Puts an object there, as a user would. */
  put(object: T): T {
    const key = keyOf(object);
    const previous = this.#objects.get(key);
    this.#version += 1;
    const metadata = {
      ...object.metadata,
      uid: previous?.metadata?.uid ?? `${this.type.plural}/${key}`,
      resourceVersion: String(this.#version),
    };
    const stored = this.transform({ ...object, metadata });
    this.#objects.set(key, stored);
    this.#live.next(
      previous
        ? { type: 'updated', key, object: stored, previous, initial: false }
        : { type: 'added', key, object: stored, initial: false },
    );
    return stored;
  }

  async create(object: T): Promise<T> {
    this.writes += 1;
    return this.put(object);
  }

  async patch(key: string, { body }: { readonly body: unknown }): Promise<T> {
    this.writes += 1;
    const known = this.#objects.get(key);
    if (!known) throw new KubeError('NotFound', `${key} not found`);
    const { metadata, status } = body as PatchBody;
    const labels = { ...known.metadata?.labels, ...metadata?.labels };
    const kept = Object.entries(labels).filter((label): label is [string, string] => label[1] !== null);
    const own = 'status' in known && typeof known.status === 'object' ? known.status : {};
    return this.put({
      ...known,
      metadata: { ...known.metadata, labels: Object.fromEntries(kept) },
      ...(status && { status: { ...own, ...status } }),
    });
  }

  readonly status: ResourceHandle<T>['status'] = Object.assign(Object.create(null), {
    patch: (key: string, patch: { readonly body: unknown }) => this.patch(key, patch),
  });

  async delete(key: string): Promise<void> {
    const object = this.#objects.get(key);
    if (!object) return;
    this.writes += 1;
    this.#objects.delete(key);
    this.#live.next({ type: 'deleted', key, object, previous: object, initial: false });
  }

  get size(): number {
    return this.#objects.size;
  }

  get = (key: string): T | undefined => this.#objects.get(key);
  find = async (key: string): Promise<T | undefined> => this.#objects.get(key);
  has = (key: string): boolean => this.#objects.has(key);
  list = (): T[] => [...this.#objects.values()];
  keys = (): IterableIterator<string> => this.#objects.keys();
  byIndex = unsupported;
  replace = unsupported;
  apply = unsupported;
  addIndex = unsupported;
  async whenSynced(): Promise<void> {}
  close(): void {}
  [Symbol.dispose](): void {}
}
