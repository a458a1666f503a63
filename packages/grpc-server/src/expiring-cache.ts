import type { Clock } from '@flotilla/kube';

/** At most so many answers are kept; the oldest go first. */
const maxEntries = 10_000;

interface Entry<T> {
  readonly value: Promise<T>;
  until: number;
}

/** Answers that hold for a while. Who asks while an answer is under way waits for the same one; failures are not kept. */
export class ExpiringCache<T> {
  readonly #clock: Clock;
  readonly #ttlMs: (value: T) => number;
  readonly #entries = new Map<string, Entry<T>>();

  constructor(clock: Clock, ttlMs: (value: T) => number) {
    this.#clock = clock;
    this.#ttlMs = ttlMs;
  }

  get(key: string, load: () => Promise<T>): Promise<T> {
    const found = this.#entries.get(key);
    if (found && this.#clock.monotonic() < found.until) return found.value;
    const entry: Entry<T> = { value: load(), until: Number.POSITIVE_INFINITY };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.value.then(
      (value) => {
        entry.until = this.#clock.monotonic() + this.#ttlMs(value);
      },
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      },
    );
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= maxEntries) break;
      this.#entries.delete(oldest);
    }
    return entry.value;
  }

  /** Drops the answers whose key says so. */
  drop(isStale: (key: string) => boolean): void {
    for (const key of this.#entries.keys()) if (isStale(key)) this.#entries.delete(key);
  }
}
