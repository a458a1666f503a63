import type { Clock } from '../clock/clock.ts';

/** Calls back once when it was not reset for a while. A reset costs one assignment: the timer is not scheduled again for each event. */
export class IdleTimer {
  readonly #clock: Clock;
  readonly #onIdle: () => void;
  #resetAt = 0;
  #cancel: () => void = () => {};

  constructor(clock: Clock, onIdle: () => void) {
    this.#clock = clock;
    this.#onIdle = onIdle;
  }

  /** Starts; idle means `limitMs` without a `reset`. */
  start(limitMs: number): void {
    this.reset();
    this.#arm(limitMs, limitMs);
  }

  reset(): void {
    this.#resetAt = this.#clock.monotonic();
  }

  stop(): void {
    this.#cancel();
  }

  #arm(limitMs: number, ms: number): void {
    this.#cancel();
    this.#cancel = this.#clock.schedule(ms, () => {
      const left = this.#resetAt + limitMs - this.#clock.monotonic();
      if (left > 0) this.#arm(limitMs, left);
      else this.#onIdle();
    });
  }
}
