import type { KubeObject } from '@flotilla/schema';
import { Observable, Subject, type Subscription } from 'rxjs';
import type { Clock } from '../clock/clock.ts';
import { type MonotonicTime, msBetween } from '../clock/time.ts';
import type { KubeErrorCode } from '../errors/codes.ts';
import { KubeError } from '../errors/kube-error.ts';
import type { Logger } from '../log/logger.ts';
import { keyOf } from '../meta/keys.ts';
import type { KitMetrics } from '../metrics/kit-metrics.ts';
import { createInterner } from '../reflector/intern.ts';
import { reflect } from '../reflector/reflect.ts';
import type { ReflectorEvent } from '../reflector/reflector.ts';
import type { Selection } from '../reflector/selection.ts';
import type { ResourceHandle } from '../resources/resource-handle.ts';
import { MemoryStore } from '../store/memory-store.ts';
import type { StoreChange } from '../store/store.ts';
import type { SyncOptions } from './informer.ts';

/** What an informer follows, and with what. */
export interface SharedInformerOptions<T extends KubeObject> {
  /** In logs, metrics and errors. */
  name: string;
  resource: ResourceHandle<T>;
  selection: Selection;
  transform: (object: T) => T;
  accessChanged: Observable<void>;
  clock: Clock;
  log: Logger;
  metrics: KitMetrics;
  random?: () => number;
}

/** The one watch and store behind all who asked for the same selection. Runs from construction to `close`. */
export class SharedInformer<T extends KubeObject> {
  readonly resource: ResourceHandle<T>;
  readonly store: MemoryStore<T>;
  /** What is in the store at subscription comes first. */
  readonly changes: Observable<StoreChange<T>>;
  synced = false;
  lastError: KubeError | undefined;
  readonly #options: SharedInformerOptions<T>;
  readonly #keep: (object: T) => T;
  readonly #live = new Subject<StoreChange<T>>();
  /** Who waits for the first list, and whether an error ends the wait. */
  readonly #waiters = new Map<(error?: KubeError) => void, (error: KubeError) => boolean>();
  /** Since when every try has failed with the same error. */
  #failing: { readonly code: KubeErrorCode; readonly since: MonotonicTime } | undefined;
  readonly #reflection: Subscription;
  #closed = false;

  constructor(options: SharedInformerOptions<T>) {
    const { name, log, transform, selection } = options;
    this.#options = options;
    this.resource = options.resource;
    this.store = new MemoryStore({
      onIndexFailure: (index, key, error) => log.warn('an index function threw', { watch: name, index, key, error }),
    });
    this.changes = new Observable((subscriber) => {
      for (const key of this.store.keys()) {
        const object = this.store.get(key);
        if (object) subscriber.next({ type: 'added', key, object, initial: true });
      }
      return this.#live.subscribe(subscriber);
    });
    const intern = createInterner();
    this.#keep = (object) => intern(transform(object));
    this.#reflection = reflect({ ...options, ...selection, transform: this.#keep }).subscribe((event) =>
      this.#take(event),
    );
  }

  whenSynced({ signal, timeoutMs, endsOn = [], endsAfterMs = 0 }: SyncOptions = {}): Promise<void> {
    const { clock, name } = this.#options;
    return new Promise((resolve, reject) => {
      if (this.synced) return resolve();
      if (signal?.aborted) return reject(signal.reason);
      if (this.#closed) return reject(closedInformer(name));
      const finish = (error?: unknown) => {
        this.#waiters.delete(finish);
        cancelTimer?.();
        signal?.removeEventListener('abort', onAbort);
        if (error === undefined) resolve();
        else reject(error);
      };
      const onAbort = () => finish(signal?.reason);
      // Trying again cannot fix the configuration; those who wait without a limit wait for a file or Secret to be written.
      const isLimited = timeoutMs !== undefined && Number.isFinite(timeoutMs);
      const endsWait = ({ code }: KubeError): boolean =>
        (isLimited && code === 'Config') || (endsOn.includes(code) && this.#failingMs() >= endsAfterMs);
      if (this.lastError && endsWait(this.lastError)) return reject(this.lastError);
      const onTimeout = () => finish(notSynced(name, timeoutMs, this.lastError));
      const cancelTimer =
        timeoutMs === undefined || timeoutMs === Number.POSITIVE_INFINITY
          ? undefined
          : clock.schedule(timeoutMs, onTimeout);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiters.set(finish, endsWait);
    });
  }

  /** Takes the answer to a write as the newest version of what the store has. Copied: the caller may change its own. */
  advance(object: T): void {
    if (this.store.has(keyOf(object))) this.#notify(this.store.advance(this.#keep(structuredClone(object))));
  }

  close(): void {
    const { name, metrics } = this.#options;
    this.#closed = true;
    this.#reflection.unsubscribe();
    this.#live.complete();
    this.store.clear();
    for (const finish of this.#waiters.keys()) finish(closedInformer(name));
    metrics.forget({ resource: name });
  }

  #take(event: ReflectorEvent<T>): void {
    switch (event.type) {
      case 'replaced': {
        const changes = this.store.replace(event.objects, !this.synced);
        this.synced = true;
        for (const finish of this.#waiters.keys()) finish();
        for (const change of changes) this.#live.next(change);
        this.#reportSize();
        return;
      }
      case 'applied':
        this.#notify(this.store.set(event.object));
        return;
      case 'deleted':
        this.#notify(this.store.delete(event.object));
        return;
      case 'error':
        this.#fail(event.error);
    }
  }

  #fail(error: KubeError | undefined): void {
    this.lastError = error;
    if (!error) {
      this.#failing = undefined;
      return;
    }
    if (this.#failing?.code !== error.code) {
      this.#failing = { code: error.code, since: this.#options.clock.monotonic() };
    }
    for (const [finish, endsWait] of this.#waiters) if (endsWait(error)) finish(error);
  }

  #failingMs(): number {
    return this.#failing ? msBetween(this.#failing.since, this.#options.clock.monotonic()) : 0;
  }

  #notify(change: StoreChange<T> | undefined): void {
    if (!change) return;
    this.#live.next(change);
    if (change.type !== 'updated') this.#reportSize();
  }

  #reportSize(): void {
    this.#options.metrics.storeSize({ resource: this.#options.name }, this.store.size);
  }
}

const closedInformer = (name: string): KubeError => new KubeError('Canceled', `the informer of ${name} was closed`);

const notSynced = (name: string, timeoutMs = 0, lastError: KubeError | undefined): KubeError =>
  new KubeError(
    'Timeout',
    `${name} was not listed within ${timeoutMs / 1000} s: ${lastError?.message ?? 'the server has not answered yet'}`,
    { cause: lastError, ...(lastError && { hint: lastError.hint }) },
  );
