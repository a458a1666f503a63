import type { Clock } from './clock.ts';
import { type EpochMs, type MonotonicTime, timeAfter } from './time.ts';

/**
 * When the last thing that was read expires: at a time of the wall clock, or after as long as was left when it was read. So a wall clock
 * that is set back does not keep it in use.
 */
export class Expiry {
  readonly #clock: Clock;
  #at: EpochMs = Number.POSITIVE_INFINITY;
  #endsAt: MonotonicTime | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Something was read now that expires then; undefined if it does not. */
  begin(at: EpochMs | undefined): void {
    this.#at = at ?? Number.POSITIVE_INFINITY;
    this.#endsAt = at === undefined ? undefined : timeAfter(this.#clock.monotonic(), at - this.#clock.now());
  }

  get hasEnded(): boolean {
    return this.#endsAt !== undefined && (this.#clock.now() >= this.#at || this.#clock.monotonic() >= this.#endsAt);
  }
}
