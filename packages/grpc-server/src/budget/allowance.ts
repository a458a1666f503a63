import { type MonotonicTime, msBetween } from '@flotilla/kube/clock';
import type { Rate } from '../limits.ts';

/** What a rate leaves. An amount larger than the burst is taken when all of it is there, and has to be waited for afterwards. */
export class Allowance {
  readonly #rate: Rate;
  #left: number;
  #updatedAt: MonotonicTime;

  constructor(rate: Rate, now: MonotonicTime) {
    this.#rate = rate;
    this.#left = rate.burst;
    this.#updatedAt = now;
  }

  /** Takes an amount if it is there. */
  take(amount: number, now: MonotonicTime): boolean {
    const { perSecond, burst } = this.#rate;
    this.#left = Math.min(burst, this.#left + (msBetween(this.#updatedAt, now) * perSecond) / 1000);
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
