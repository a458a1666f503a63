import type { Unsubscribable } from 'rxjs';
import { type Backoff, backoffMs } from '../clock/backoff.ts';
import type { Clock } from '../clock/clock.ts';
import { KubeError } from '../errors/kube-error.ts';
import type { Logger } from '../log/logger.ts';
import type { ObjectKey } from '../meta/keys.ts';
import type { KitMetrics } from '../metrics/kit-metrics.ts';
import type { Controller, ReconcileContext } from './controller.ts';
import { KeyQueue, type QueueItem, type QueueOutcome } from './queue.ts';
import { TerminalError } from './result.ts';
import type { Wake, Watch } from './watch.ts';

/** What all controllers of a run share. */
export interface ControllerEnvironment {
  clock: Clock;
  log: Logger;
  metrics: KitMetrics;
  random?: () => number;
}

const defaultConcurrency = 10;
const defaultDeadlineMs = 120_000;
/** After so long, a controller that waits for its caches says so. */
const noticeMs = 10_000;
/** Waits before a stream that failed is subscribed to again. */
const streamBackoff: Backoff = { baseMs: 100, maxMs: 60_000 };

/** Reconciles that never wait for the network would block the rest of the process; after this long others get a turn. */
const turnMs = 10;

type ReconcileLabel = Parameters<KitMetrics['reconcile']>[0]['result'];

/** One controller at work: keys in from its watches, results out to the queue. */
export class ControllerRun {
  readonly controller: Controller;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #metrics: KitMetrics;
  readonly #queue: KeyQueue;
  readonly #random: () => number;
  readonly #subscriptions = new Map<Watch, Unsubscribable>();
  readonly #running = new Map<ObjectKey, AbortController>();
  #working = false;
  /** From then on nothing is reported: a reconcile that was left behind must not bring back what was forgotten. */
  #drained = false;
  #pumpPlanned = false;
  #turnStart: number;
  #onIdle: () => void = () => {};

  constructor(controller: Controller, { clock, log, metrics, random }: ControllerEnvironment) {
    this.controller = controller;
    this.#clock = clock;
    this.#log = log.child({ controller: controller.name });
    this.#metrics = metrics;
    this.#random = random ?? Math.random;
    this.#turnStart = clock.monotonic();
    const { backoff, batchPeriodMs } = controller;
    this.#queue = new KeyQueue({ clock, backoff, batchPeriodMs, random, onReady: () => this.#planPump() });
  }

  /** Begins to collect keys and resolves when all existing objects are in; nothing is reconciled yet. */
  async sync(options: { signal?: AbortSignal; timeoutMs?: number }): Promise<void> {
    const { watches, reads = [] } = this.controller;
    for (const watch of watches) this.#follow(watch);
    const sources = [...watches, ...reads];
    const synced = (timeoutMs?: number) =>
      Promise.all(sources.map((source) => source.whenSynced({ ...options, timeoutMs })));
    if (!this.controller.isOptional) {
      const { timeoutMs } = options;
      // An unlimited wait needs no warning.
      if (Number.isFinite(timeoutMs)) synced(noticeMs).catch((error) => this.#logUnsynced(error));
      await synced(timeoutMs);
      return;
    }
    try {
      await synced(noticeMs);
    } catch (error) {
      if (!KubeError.is(error, 'Timeout')) throw error;
      this.#log.warn('waiting for the kinds of this controller to be served; other controllers run', {
        error,
        hint: error.hint,
      });
      await synced();
      this.#log.info('the kinds of this controller are now served');
    }
  }

  /** A kind whose definition is missing is reported long before the wait for it ends. */
  #logUnsynced(error: unknown): void {
    if (!KubeError.is(error, 'Timeout')) return;
    this.#log.warn('this controller waits for its caches', { error, hint: error.hint });
  }

  /** Takes the keys of a watch. A stream that errors is subscribed to again, with back-off. */
  #follow(watch: Watch, failuresBefore = 0): void {
    let failures = failuresBefore;
    let cancelRetry = () => {};
    const wake: Wake = (key, priority) => {
      failures = 0;
      this.#queue.add(key, priority);
    };
    const onFailure = (error: unknown) => this.#log.error('mapping a change to keys failed', { error });
    const onStreamError = (error: unknown) => {
      failures += 1;
      const inMs = backoffMs(streamBackoff, failures, this.#random());
      this.#log.error('the stream of a watch failed and is subscribed to again', { error, failures, inMs });
      this.#metrics.watchRestart({ resource: `stream of ${this.controller.name}`, reason: 'error' });
      cancelRetry = this.#clock.schedule(inMs, () => this.#follow(watch, failures));
    };
    const subscription = watch.subscribe(wake, onFailure, onStreamError);
    this.#subscriptions.set(watch, {
      unsubscribe() {
        cancelRetry();
        subscription.unsubscribe();
      },
    });
  }

  /** Begins to reconcile. */
  work(): void {
    this.#working = true;
    this.#log.debug('controller started', { keys: this.#queue.depth });
    this.#planPump();
  }

  /** Takes no more keys and lets running reconciles finish; the signals of others abort, and at last they are abandoned. */
  async drain(drainTimeoutMs: number): Promise<void> {
    this.#working = false;
    for (const subscription of this.#subscriptions.values()) subscription.unsubscribe();
    this.#queue.close();
    if (!(await this.#idleWithin(drainTimeoutMs))) {
      this.#log.warn('reconciles did not finish in time, aborting them', { keys: [...this.#running.keys()] });
      const reason = new KubeError('Canceled', `controller "${this.controller.name}" is shutting down`);
      for (const abort of this.#running.values()) abort.abort(reason);
      if (!(await this.#idleWithin(1_000))) {
        this.#log.error('reconciles ignored their signal and were left behind', { keys: [...this.#running.keys()] });
      }
    }
    this.#drained = true;
    this.#metrics.forget({ controller: this.controller.name });
  }

  #idleWithin(ms: number): Promise<boolean> {
    if (this.#running.size === 0) return Promise.resolve(true);
    return new Promise((resolve) => {
      const cancel = this.#clock.schedule(ms, () => resolve(false));
      this.#onIdle = () => {
        cancel();
        resolve(true);
      };
    });
  }

  /** Many keys may become ready in one step; they are taken together, after that step. */
  #planPump(): void {
    if (this.#pumpPlanned || !this.#working) return;
    this.#pumpPlanned = true;
    const pump = () => {
      this.#pumpPlanned = false;
      this.#pump();
    };
    if (this.#clock.monotonic() - this.#turnStart < turnMs) {
      queueMicrotask(pump);
      return;
    }
    setImmediate(() => {
      this.#turnStart = this.#clock.monotonic();
      pump();
    });
  }

  #pump(): void {
    const { name, concurrency = defaultConcurrency } = this.controller;
    while (this.#working && this.#running.size < concurrency) {
      const item = this.#queue.take();
      if (!item) break;
      this.#metrics.queueWait({ controller: name }, item.waitedMs / 1000);
      void this.#work(item);
    }
    if (this.#working) this.#metrics.queueDepth({ controller: name }, this.#queue.depth);
  }

  async #work(item: QueueItem): Promise<void> {
    const { key } = item;
    const started = this.#clock.monotonic();
    const abort = new AbortController();
    this.#running.set(key, abort);
    const stopTimer = this.#startDeadline(key, abort);
    const { label, outcome } = await this.#reconcile(item, abort.signal);
    stopTimer();
    this.#running.delete(key);
    if (!this.#drained) {
      const labels = { controller: this.controller.name, result: label };
      this.#metrics.reconcile(labels, (this.#clock.monotonic() - started) / 1000);
    }
    this.#queue.finish(key, outcome);
    if (this.#running.size === 0) this.#onIdle();
    this.#planPump();
  }

  /** Never throws, whatever the controller does. */
  async #reconcile(item: QueueItem, signal: AbortSignal): Promise<{ label: ReconcileLabel; outcome: QueueOutcome }> {
    const { key, attempt } = item;
    try {
      const result = await this.controller.reconcile(key, lazyContext(this.#log, key, attempt, signal));
      if (result.kind === 'done') return { label: 'done', outcome: result };
      this.#log.debug('requeued', { key, inMs: result.ms, why: result.why });
      return { label: 'after', outcome: result };
    } catch (error) {
      if (error instanceof TerminalError) {
        this.#log.error('reconcile failed for good, waiting for a change', { key, error });
        return { label: 'terminal', outcome: { kind: 'done' } };
      }
      this.#logFailure(key, attempt, error, signal);
      const atLeastMs = error instanceof KubeError ? error.retryAfterMs : undefined;
      return { label: 'error', outcome: { kind: 'retry', atLeastMs } };
    }
  }

  #logFailure(key: ObjectKey, attempt: number, error: unknown, signal: AbortSignal): void {
    // Another writer was faster, or we are on our way out: both are ordinary and end by themselves.
    const ordinary = KubeError.is(error, 'Conflict') || (signal.aborted && !this.#working);
    const hint = error instanceof KubeError ? error.hint : undefined;
    if (ordinary) this.#log.debug('reconcile will be tried again', { key, attempt, error });
    else this.#log.warn('reconcile failed', { key, attempt, error, hint });
  }

  #startDeadline(key: ObjectKey, abort: AbortController): () => void {
    const { name, deadlineMs = defaultDeadlineMs } = this.controller;
    return this.#clock.schedule(deadlineMs, () => {
      const message = `reconcile of "${key}" by controller "${name}" has been running for ${deadlineMs / 1000} s`;
      this.#log.warn('reconcile takes too long, aborting it', { key, deadlineMs });
      abort.abort(new KubeError('Timeout', message));
    });
  }
}

/** Most reconciles log nothing, and a child logger costs more than they do. */
function lazyContext(log: Logger, key: ObjectKey, attempt: number, signal: AbortSignal): ReconcileContext {
  let child: Logger | undefined;
  return {
    signal,
    attempt,
    get log() {
      child ??= log.child({ key });
      return child;
    },
  };
}
