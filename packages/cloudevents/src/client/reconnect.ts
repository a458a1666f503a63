import type { Clock } from '@flotilla/kube';

/** The bounds of the wait before another attempt. */
export interface ReconnectOptions {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** A server that restarts gets its agents back over two seconds; one that stays away is asked twice a minute. */
export const defaultReconnect: ReconnectOptions = { baseMs: 2000, maxMs: 30_000 };

/** Waits anywhere between nothing and the bound, so that the agents of a server that restarted do not come back together. */
export const reconnectDelayMs = ({ baseMs, maxMs }: ReconnectOptions, failures: number, random: number): number =>
  random * Math.min(maxMs, baseMs * 2 ** Math.max(0, failures - 1));

/**
 * The wait for one server that all streams share: the server is away for all of them or for none. The first stream that fails starts the
 * wait, and the others join it.
 */
export class ReconnectGate {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #options: ReconnectOptions;
  #failures = 0;
  #open: Promise<void> | undefined;

  constructor(clock: Clock, random: () => number, options: ReconnectOptions) {
    this.#clock = clock;
    this.#random = random;
    this.#options = options;
  }

  /** Resolves when the server may be tried again, or the signal aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.#open ??= this.#nextAttempt();
    const { promise: aborted, resolve: onAbort } = Promise.withResolvers<void>();
    const listener = () => onAbort();
    signal.addEventListener('abort', listener, { once: true });
    await Promise.race([this.#open, aborted]);
    // A signal lives as long as its stream is kept open, over any number of attempts.
    signal.removeEventListener('abort', listener);
  }

  /** The server answered. */
  reset(): void {
    this.#failures = 0;
  }

  #nextAttempt(): Promise<void> {
    this.#failures += 1;
    return new Promise((resolve) => {
      this.#clock.schedule(reconnectDelayMs(this.#options, this.#failures, this.#random()), () => {
        this.#open = undefined;
        resolve();
      });
    });
  }
}
