import type { Clock, ObjectKey } from '@flotilla/kube';
import { type Backoff, backoffMs } from '@flotilla/kube/clock';

const backoff: Backoff = { baseMs: 10_000, maxMs: 5 * 60_000 };

/**
 * When failed hooks run again. Kept in memory: after a restart a hook that failed runs again at once, which is what an administrator who
 * fixed its cause and restarts the add-on wants.
 */
export class HookRetries {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #failures = new Map<ObjectKey, { readonly count: number; readonly retryAt: number }>();

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Records that the hooks in a work failed. */
  failed(work: ObjectKey): void {
    const count = (this.#failures.get(work)?.count ?? 0) + 1;
    this.#failures.set(work, { count, retryAt: this.#clock.monotonic() + backoffMs(backoff, count, this.#random()) });
  }

  /** Milliseconds until they may run again; 0 for now. */
  waitMs(work: ObjectKey): number {
    return Math.max(0, (this.#failures.get(work)?.retryAt ?? 0) - this.#clock.monotonic());
  }

  /** How often they failed. */
  countOf(work: ObjectKey): number {
    return this.#failures.get(work)?.count ?? 0;
  }

  forget(work: ObjectKey): void {
    this.#failures.delete(work);
  }
}
