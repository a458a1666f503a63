import type { Clock } from '../clock/clock.ts';

/** Calls back once when nothing was heard for a while. Hearing costs one assignment: the timer is not moved for each event. */
export class SilenceAlarm {
  readonly #clock: Clock;
  readonly #onSilence: () => void;
  #heardAt = 0;
  #cancel: () => void = () => {};

  constructor(clock: Clock, onSilence: () => void) {
    this.#clock = clock;
    this.#onSilence = onSilence;
  }

  /** Begins to listen; silence is `limitMs` without `heard`. */
  start(limitMs: number): void {
    this.heard();
    this.#arm(limitMs, limitMs);
  }

  heard(): void {
    this.#heardAt = this.#clock.monotonic();
  }

  stop(): void {
    this.#cancel();
  }

  #arm(limitMs: number, ms: number): void {
    this.#cancel();
    this.#cancel = this.#clock.schedule(ms, () => {
      const left = this.#heardAt + limitMs - this.#clock.monotonic();
      if (left > 0) this.#arm(limitMs, left);
      else this.#onSilence();
    });
  }
}
