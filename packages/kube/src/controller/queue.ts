import { type Backoff, backoffMs } from '../clock/backoff.ts';
import type { Clock } from '../clock/clock.ts';
import type { ObjectKey } from '../meta/keys.ts';
import { FifoSet } from './fifo-set.ts';

/** `live` is a change that just happened; `backlog` is what existed when the process started. Live goes first. */
export type QueuePriority = 'live' | 'backlog';

/** A key to work on now. */
export interface QueueItem {
  readonly key: ObjectKey;
  readonly priority: QueuePriority;
  /** 1 for the first try, more after failures. */
  readonly attempt: number;
  /** How long it was ready before a worker was free. */
  readonly waitedMs: number;
}

/** How the work on a key ended. `retry` waits for the back-off of the key, at least `atLeastMs`. */
export type QueueOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'after'; readonly ms: number }
  | { readonly kind: 'retry'; readonly atLeastMs?: number };

/** How a queue waits and what it calls. */
export interface QueueOptions {
  clock: Clock;
  /** Called when a key became ready to be taken. */
  onReady?: () => void;
  /** Default: 100 ms doubling to 5 min. */
  backoff?: Backoff;
  /** In [0, 1), for the jitter. */
  random?: () => number;
  /** A key is not returned again for so long after it was finished; adds in between are coalesced. Default 0. */
  batchPeriodMs?: number;
}

interface Entry {
  /** Set while the key waits in one of the two ready queues. */
  ready?: { priority: QueuePriority; since: number };
  /** Set from take to finish and for the batch period after it, which `cancel` ends; `again` if the key was added meanwhile. */
  running?: { priority: QueuePriority; again?: QueuePriority; cancel?: () => void };
  /** Set while a timer will make the key ready. */
  delayed?: { due: number; cancel: () => void };
  failures: number;
}

const defaultBackoff: Backoff = { baseMs: 100, maxMs: 300_000 };

/**
 * Keys to work on, each at most once: however often a key is added, one reconcile follows, and never two at the same time.
 * A key added while it is worked on gets one more pass. Of several delayed adds the earliest counts, and an immediate one
 * replaces them, because the reconcile it causes decides anew when to requeue. Nothing is kept of a key with nothing to do.
 */
export class KeyQueue {
  readonly #clock: Clock;
  readonly #onReady: () => void;
  readonly #backoff: Backoff;
  readonly #random: () => number;
  readonly #batchPeriodMs: number;
  readonly #entries = new Map<ObjectKey, Entry>();
  readonly #ready = { live: new FifoSet<ObjectKey>(), backlog: new FifoSet<ObjectKey>() };
  #closed = false;

  constructor(options: QueueOptions) {
    this.#clock = options.clock;
    this.#onReady = options.onReady ?? (() => {});
    this.#backoff = options.backoff ?? defaultBackoff;
    this.#random = options.random ?? Math.random;
    this.#batchPeriodMs = options.batchPeriodMs ?? 0;
  }

  /** Keys that are ready and wait for a worker. */
  get depth(): number {
    return this.#ready.live.size + this.#ready.backlog.size;
  }

  /** Keys of which anything is kept: ready, running, delayed or failing. */
  get tracked(): number {
    return this.#entries.size;
  }

  add(key: ObjectKey, priority: QueuePriority = 'live'): void {
    if (this.#closed) return;
    const entry = this.#entry(key);
    entry.delayed?.cancel();
    delete entry.delayed;
    if (entry.running) {
      if (entry.running.again !== 'live') entry.running.again = priority;
      return;
    }
    if (entry.ready) {
      if (entry.ready.priority === priority || entry.ready.priority === 'live') return;
      this.#ready.backlog.delete(key);
      entry.ready.priority = priority;
    } else {
      entry.ready = { priority, since: this.#clock.monotonic() };
    }
    this.#ready[priority].add(key);
    this.#onReady();
  }

  addAfter(key: ObjectKey, ms: number, priority: QueuePriority = 'live'): void {
    if (this.#closed) return;
    if (ms <= 0) {
      this.add(key, priority);
      return;
    }
    const entry = this.#entry(key);
    const due = this.#clock.monotonic() + ms;
    const comesEarlier = entry.ready ?? entry.running?.again ?? (entry.delayed && entry.delayed.due <= due);
    if (comesEarlier) return;
    entry.delayed?.cancel();
    const cancel = this.#clock.schedule(ms, () => {
      delete entry.delayed;
      this.add(key, priority);
    });
    entry.delayed = { due, cancel };
  }

  /** The next key, live ones first; each taken key must be finished. */
  take(): QueueItem | undefined {
    const key = this.#ready.live.shift() ?? this.#ready.backlog.shift();
    const entry = key === undefined ? undefined : this.#entries.get(key);
    if (key === undefined || !entry?.ready) return undefined;
    const { priority, since } = entry.ready;
    delete entry.ready;
    entry.running = { priority };
    return { key, priority, attempt: entry.failures + 1, waitedMs: this.#clock.monotonic() - since };
  }

  finish(key: ObjectKey, outcome: QueueOutcome): void {
    const running = this.#entries.get(key)?.running;
    if (!running || running.cancel) return;
    if (this.#batchPeriodMs === 0 || this.#closed) this.#release(key, outcome);
    else running.cancel = this.#clock.schedule(this.#batchPeriodMs, () => this.#release(key, outcome));
  }

  #release(key: ObjectKey, outcome: QueueOutcome): void {
    const entry = this.#entries.get(key);
    if (!entry?.running) return;
    const { priority, again } = entry.running;
    delete entry.running;
    entry.failures = outcome.kind === 'retry' ? entry.failures + 1 : 0;
    if (again) {
      this.add(key, again);
    } else if (outcome.kind === 'after') {
      this.addAfter(key, outcome.ms);
    } else if (outcome.kind === 'retry') {
      const delay = backoffMs(this.#backoff, entry.failures, this.#random());
      // A failure of the backlog is still backlog: a start-up against a broken server must not crowd out live changes.
      this.addAfter(key, Math.max(delay, outcome.atLeastMs ?? 0), priority);
    }
    this.#prune(key, entry);
  }

  /** Drops all waiting keys; those being worked on can still be finished. */
  close(): void {
    this.#closed = true;
    for (const [key, entry] of this.#entries) {
      entry.delayed?.cancel();
      delete entry.delayed;
      delete entry.ready;
      if (entry.running?.cancel) {
        entry.running.cancel();
        delete entry.running;
      }
      entry.failures = 0;
      this.#prune(key, entry);
    }
    this.#ready.live = new FifoSet();
    this.#ready.backlog = new FifoSet();
  }

  #entry(key: ObjectKey): Entry {
    let entry = this.#entries.get(key);
    if (!entry) {
      entry = { failures: 0 };
      this.#entries.set(key, entry);
    }
    return entry;
  }

  /** Keys of objects that come and go must leave nothing behind. */
  #prune(key: ObjectKey, entry: Entry): void {
    const active = entry.ready ?? entry.running ?? entry.delayed;
    if (!active && (entry.failures === 0 || this.#closed)) this.#entries.delete(key);
  }
}
