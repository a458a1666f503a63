import type { Rate } from '../limits.ts';

/** What a rate leaves. An amount larger than the burst is taken when all of it is there, and has to be waited for afterwards. */
export class Allowance {
  readonly #rate: Rate;
  #left: number;
  #updatedAt: number;

  constructor(rate: Rate, now: number) {
    this.#rate = rate;
    this.#left = rate.burst;
    this.#updatedAt = now;
  }

  /** Takes an amount if it is there. `now` is in milliseconds of a monotonic clock. */
  take(amount: number, now: number): boolean {
    const { perSecond, burst } = this.#rate;
    this.#left = Math.min(burst, this.#left + ((now - this.#updatedAt) * perSecond) / 1000);
    this.#updatedAt = now;
    if (this.#left < Math.min(amount, burst)) return false;
    this.#left -= amount;
    return true;
  }

  /** Gives back what did not count after all. */
  giveBack(amount: number): void {
    this.#left = Math.min(this.#rate.burst, this.#left + amount);
  }
}
