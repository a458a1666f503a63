import type { Clock } from '@flotilla/kube';
import { type MonotonicTime, timeAfter } from '@flotilla/kube/clock';

/** So long a cache may take to show a write; after that what it shows is believed again. */
const forgottenMs = 10_000;

/**
 * What was created or deleted a moment ago. The watch tells of it later, and of hundreds of objects much later: a reconcile in between
 * must not do it again.
 */
export class RecentWrites {
  readonly #clock: Clock;
  readonly #until = new Map<string, MonotonicTime>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(id: string): void {
    this.#until.set(id, timeAfter(this.#clock.monotonic(), forgottenMs));
  }

  has(id: string): boolean {
    const until = this.#until.get(id);
    if (until === undefined) return false;
    if (until > this.#clock.monotonic()) return true;
    this.#until.delete(id);
    return false;
  }

  /** The cache shows it. */
  delete(id: string): void {
    this.#until.delete(id);
  }

  /** How long until all are believed again; undefined if there are none. */
  get settledAfterMs(): number | undefined {
    const last = Math.max(...this.#until.values());
    const left = last - this.#clock.monotonic();
    return left > 0 && Number.isFinite(left) ? left : undefined;
  }
}
