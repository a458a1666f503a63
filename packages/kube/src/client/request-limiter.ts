import type { Clock } from '../clock/clock.ts';
import { TokenBucket } from './token-bucket.ts';
import type { RequestPriority } from './transport.ts';

/** How many requests may be under way, and how fast they may start. */
export interface RequestLimiterOptions {
  maxInFlight: number;
  /** Unset means no limit of the rate, which is the default: the API server has its own priority and fairness. */
  rateLimit?: { qps: number; burst: number } | undefined;
  clock: Clock;
}

/** A request in the queue. */
interface Waiter {
  grant: () => void;
  granted: boolean;
  /** Set when its call ended while it waited. */
  gone: boolean;
}

/** A place in the queue: settle it by the promise, or leave. */
export interface Turn {
  granted: Promise<void>;
  leave(): void;
}

const order: readonly RequestPriority[] = ['critical', 'normal', 'bulk'];

/**
 * Admits requests by priority. `normal` cannot fill the last tenth of the slots and `bulk` not more than half,
 * so a lease renewal finds a slot at once even behind a thousand applies, and an apply finds one behind a start-up backlog.
 */
export class RequestLimiter {
  readonly #limits: Readonly<Record<RequestPriority, number>>;
  readonly #queues: Readonly<Record<RequestPriority, Waiter[]>> = { critical: [], normal: [], bulk: [] };
  readonly #bucket: TokenBucket | undefined;
  readonly #clock: Clock;
  #inFlight = 0;
  #stopTimer: (() => void) | undefined;

  constructor({ maxInFlight, rateLimit, clock }: RequestLimiterOptions) {
    this.#clock = clock;
    this.#limits = {
      critical: maxInFlight,
      normal: Math.max(1, maxInFlight - Math.ceil(maxInFlight / 10)),
      bulk: Math.max(1, Math.floor(maxInFlight / 2)),
    };
    this.#bucket = rateLimit && new TokenBucket(rateLimit.qps, rateLimit.burst, clock.monotonic());
  }

  /** Takes a slot if one is free and no request of the same or higher priority waits. Each success needs one `release`. */
  tryAcquire(priority: RequestPriority): boolean {
    for (const other of order) {
      if (this.#queues[other].length > 0) return false;
      if (other === priority) break;
    }
    return this.#take(priority);
  }

  /** Joins the queue of its priority. */
  enqueue(priority: RequestPriority): Turn {
    const { promise: granted, resolve: grant } = Promise.withResolvers<void>();
    const waiter: Waiter = { grant, granted: false, gone: false };
    this.#queues[priority].push(waiter);
    this.#drain();
    return {
      granted,
      leave: () => {
        // Its turn may have come in the same moment: then it holds a slot that it will not use.
        if (waiter.granted) this.release();
        waiter.gone = true;
        this.#drain();
      },
    };
  }

  /** Gives a slot back. */
  release(): void {
    this.#inFlight--;
    this.#drain();
  }

  #take(priority: RequestPriority): boolean {
    if (this.#inFlight >= this.#limits[priority]) return false;
    if (priority !== 'critical' && this.#bucket && !this.#bucket.take(this.#clock.monotonic())) return false;
    this.#inFlight++;
    return true;
  }

  #drain(): void {
    for (const priority of order) {
      const queue = this.#queues[priority];
      while (queue.length > 0) {
        const [first] = queue;
        if (first?.gone) {
          queue.shift();
          continue;
        }
        if (!this.#take(priority)) break;
        queue.shift();
        if (!first) continue;
        first.granted = true;
        first.grant();
      }
      // Lower ones must not overtake: what stopped this queue was a limit that is wider than theirs, or the rate.
      if (queue.length > 0) break;
    }
    this.#awaitToken();
  }

  /** Slots drain the queues as they are given back; a token comes by time only. */
  #awaitToken(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    if (!this.#bucket || (this.#queues.normal.length === 0 && this.#queues.bulk.length === 0)) return;
    const waitMs = this.#bucket.waitMs(this.#clock.monotonic());
    if (waitMs > 0) this.#stopTimer = this.#clock.schedule(waitMs, () => this.#drain());
  }
}
