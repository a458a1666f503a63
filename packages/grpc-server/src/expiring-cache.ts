import type { Clock } from '@flotilla/kube';
import { type MonotonicTime, timeAfter } from '@flotilla/kube/clock';

interface Entry<T> {
  readonly value: Promise<T>;
  /** Undefined while it is under way. */
  until?: MonotonicTime;
}

/**
 * Answers that hold for a while. A caller that asks while an answer is under way waits for the same one; failures are not kept. Of too many
 * answers the oldest go first.
 */
export class ExpiringCache<T> {
  readonly #clock: Clock;
  readonly #ttlMs: (value: T) => number;
  readonly #maxEntries: number;
  readonly #entries = new Map<string, Entry<T>>();

  constructor(clock: Clock, ttlMs: (value: T) => number, maxEntries: number) {
    this.#clock = clock;
    this.#ttlMs = ttlMs;
    this.#maxEntries = maxEntries;
  }

  get(key: string, load: () => Promise<T>): Promise<T> {
    const found = this.#entries.get(key);
    if (found && holds(found, this.#clock.monotonic())) return found.value;
    const entry: Entry<T> = { value: load() };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.value.then(
      (value) => {
        entry.until = timeAfter(this.#clock.monotonic(), this.#ttlMs(value));
      },
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      },
    );
    this.#dropOld();
    return entry.value;
  }

  clear(): void {
    this.#entries.clear();
  }

  #dropOld(): void {
    const now = this.#clock.monotonic();
    for (const [oldest, entry] of this.#entries) {
      if (holds(entry, now) && this.#entries.size <= this.#maxEntries) return;
      this.#entries.delete(oldest);
    }
  }
}

const holds = ({ until }: Entry<unknown>, now: MonotonicTime): boolean => until === undefined || now < until;
