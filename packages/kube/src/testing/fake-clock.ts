import type { Clock } from '../clock/clock.ts';
import { type MonotonicTime, timeAfter, type WallTime, wallTime } from '../clock/time.ts';

interface Timer {
  readonly due: MonotonicTime;
  readonly callback: () => void;
  canceled: boolean;
}

/**
 * A clock that stands still until a test moves it. Timers run in the order of their due times (equal ones in the order
 * they were made), and callbacks of promises run between them, so a test sees the same order each time.
 */
export class FakeClock implements Clock {
  #monotonic = 0 as MonotonicTime;
  #epoch: WallTime;
  /** Latest due first, so that the next timer is taken from the end. */
  readonly #timers: Timer[] = [];

  constructor(start: number | string = '2026-01-01T00:00:00Z') {
    this.#epoch = wallTime(typeof start === 'number' ? start : Date.parse(start));
  }

  now(): WallTime {
    return timeAfter(this.#epoch, this.#monotonic);
  }

  monotonic(): MonotonicTime {
    return this.#monotonic;
  }

  schedule(ms: number, callback: () => void): () => void {
    const timer: Timer = { due: timeAfter(this.#monotonic, Math.max(0, ms)), callback, canceled: false };
    let low = 0;
    let high = this.#timers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#timers[middle]?.due ?? 0) > timer.due) low = middle + 1;
      else high = middle;
    }
    this.#timers.splice(low, 0, timer);
    return () => {
      timer.canceled = true;
    };
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        cancel();
        reject(signal?.reason);
      };
      const cancel = this.schedule(ms, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Moves time forward, running what becomes due, also timers that are made on the way. */
  async advance(ms: number): Promise<void> {
    await this.settle();
    const end = timeAfter(this.#monotonic, ms);
    for (let next = this.#next(); next && next.due <= end; next = this.#next()) {
      this.#timers.pop();
      if (next.due > this.#monotonic) this.#monotonic = next.due;
      next.callback();
      await this.settle();
    }
    this.#monotonic = end;
  }

  /** Moves time to the next timer and runs it; false if there is none. */
  async advanceToNext(): Promise<boolean> {
    await this.settle();
    const next = this.#next();
    if (!next) return false;
    await this.advance(Math.max(0, next.due - this.#monotonic));
    return true;
  }

  /** Runs all that waits for promises only, without advancing time. */
  settle(): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(resolve);
    });
  }

  /** Moves the wall clock alone, as an administrator or NTP would; timers and `monotonic` do not notice. */
  jump(ms: number): void {
    this.#epoch = timeAfter(this.#epoch, ms);
  }

  /** How many timers wait: 0 shows that a component left nothing behind. */
  get pending(): number {
    return this.#timers.filter((timer) => !timer.canceled).length;
  }

  #next(): Timer | undefined {
    while (this.#timers.at(-1)?.canceled) this.#timers.pop();
    return this.#timers.at(-1);
  }
}
