import type { Clock } from '@flotilla/kube';

/** Something to wait for: the next wake, or a time, whichever comes first. A wake without a waiter is remembered. */
export class WakeSignal {
  readonly #clock: Clock;
  #woken = false;
  #resume: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  readonly wake = (): void => {
    this.#woken = true;
    this.#resume?.();
  };

  /** Resolves on a wake, after `ms`, or when the signal aborts. True if it was woken. */
  async wait(ms: number, signal: AbortSignal): Promise<boolean> {
    if (!this.#woken && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const finish = () => {
          cancel();
          signal.removeEventListener('abort', finish);
          this.#resume = undefined;
          resolve();
        };
        const cancel = this.#clock.schedule(ms, finish);
        signal.addEventListener('abort', finish, { once: true });
        this.#resume = finish;
      });
    }
    const woken = this.#woken;
    this.#woken = false;
    return woken;
  }
}
