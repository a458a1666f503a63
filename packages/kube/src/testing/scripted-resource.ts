import type { KubeList, KubeObject, ResourceType } from '@flotilla/schema';
import { KubeError } from '../errors/kube-error.ts';
import type {
  ListOptions,
  ResourceHandle,
  SubresourceHandle,
  WatchEvent,
  WatchOptions,
} from '../resources/resource-handle.ts';

/** One watch request that the code under test made; the test plays the server. */
export class ScriptedWatch<T extends KubeObject> {
  readonly options: WatchOptions;
  readonly #pending: (() => WatchEvent<T> | undefined)[] = [];
  #wake: () => void = () => {};
  /** True once the client left: it aborted, or stopped reading. */
  ended = false;

  constructor(options: WatchOptions) {
    this.options = options;
  }

  /** The server accepts the watch. */
  open(monitored = true): this {
    this.options.onOpen?.({ monitored });
    return this;
  }

  send(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): this {
    return this.#push(() => ({ type, object }));
  }

  bookmark(resourceVersion: string, annotations?: Record<string, string>): this {
    return this.#push(() => ({ type: 'BOOKMARK', object: { metadata: { resourceVersion, annotations } } }));
  }

  /** The bookmark that ends a streaming list. */
  endOfList(resourceVersion: string): this {
    return this.bookmark(resourceVersion, { 'k8s.io/initial-events-end': 'true' });
  }

  /** The server ends the watch in good order. */
  close(): this {
    return this.#push(() => undefined);
  }

  fail(error: Error): this {
    return this.#push(() => {
      throw error;
    });
  }

  /** What the client reads. */
  async *events(): AsyncGenerator<WatchEvent<T>, void, undefined> {
    const { signal } = this.options;
    const onAbort = () => this.fail(new KubeError('Canceled', 'the watch was aborted'));
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      while (true) {
        const next = this.#pending.shift();
        if (!next) {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
          continue;
        }
        const event = next();
        if (!event) return;
        yield event;
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.ended = true;
    }
  }

  #push(next: () => WatchEvent<T> | undefined): this {
    this.#pending.push(next);
    this.#wake();
    return this;
  }
}

/**
 * A resource played by a test: it sees each list and watch request and decides what the server answers.
 * Other calls throw until the test sets them: `resource.patch = async () => answer`.
 */
export class ScriptedResource<T extends KubeObject = KubeObject> implements ResourceHandle<T> {
  readonly type: ResourceType<T>;
  readonly watches: ScriptedWatch<T>[] = [];
  readonly lists: ListOptions[] = [];
  /** Answers list requests; a test sets it. */
  onList: (options: ListOptions) => KubeList<T>[] = () => [{ metadata: { resourceVersion: '1' }, items: [] }];

  get = unscripted('get');
  find = unscripted('find');
  list = unscripted('list');
  create: ResourceHandle<T>['create'] = unscripted('create');
  replace: ResourceHandle<T>['replace'] = unscripted('replace');
  patch: ResourceHandle<T>['patch'] = unscripted('patch');
  apply: ResourceHandle<T>['apply'] = unscripted('apply');
  delete: ResourceHandle<T>['delete'] = unscripted('delete');
  deleteCollection = unscripted('deleteCollection');
  subresource = () => this.#unscriptedSubresource;
  createSubresource = unscripted('createSubresource');
  readonly #unscriptedSubresource = {
    get: unscripted('get of a subresource'),
    replace: unscripted('replace of a subresource'),
    patch: unscripted('patch of a subresource'),
    apply: unscripted('apply of a subresource'),
  };
  status: SubresourceHandle<T> = this.#unscriptedSubresource;

  constructor(type: ResourceType<T>) {
    this.type = type;
  }

  /** The newest watch request. */
  get watching(): ScriptedWatch<T> {
    const newest = this.watches.at(-1);
    if (!newest) throw new Error('nothing was watched yet');
    return newest;
  }

  async *pages(options: ListOptions = {}): AsyncGenerator<KubeList<T>, void, undefined> {
    this.lists.push(options);
    yield* this.onList(options);
  }

  watch(options: WatchOptions): AsyncIterable<WatchEvent<T>> {
    const watch = new ScriptedWatch<T>(options);
    this.watches.push(watch);
    return watch.events();
  }
}

const unscripted = (call: string) => async (): Promise<never> => {
  throw new KubeError('MethodNotAllowed', `the test did not script a ${call}`);
};
