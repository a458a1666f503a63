import type { Clock } from './clock.ts';
import { type EpochMs, type MonotonicTime, msBetween, timeAfter } from './time.ts';

/**
 * How old timestamps of objects are: by the wall clock when one is first seen, and by the monotonic clock from then on, so that a
 * wall clock that is set neither ages them nor makes them young.
 */
export class TimestampAges {
  readonly #clock: Clock;
  readonly #seen = new Map<string, { readonly time: EpochMs; readonly bornAt: MonotonicTime }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The age in milliseconds of the timestamp (milliseconds since the epoch) that a key has now; never negative. */
  of(key: string, time: EpochMs): number {
    const monotonic = this.#clock.monotonic();
    let seen = this.#seen.get(key);
    if (seen?.time !== time) {
      seen = { time, bornAt: timeAfter(monotonic, -Math.max(0, this.#clock.now() - time)) };
      this.#seen.set(key, seen);
    }
    return msBetween(seen.bornAt, monotonic);
  }

  /** A key that has no timestamp any more. */
  forget(key: string): void {
    this.#seen.delete(key);
  }
}
