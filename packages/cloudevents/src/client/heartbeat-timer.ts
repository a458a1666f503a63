import type { Clock } from '@flotilla/kube';

/**
 * Calls back when a server that sent heartbeats sends no more. It starts with the first heartbeat, because a server may have them
 * switched off.
 */
export class HeartbeatTimer {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #onTimeout: () => void;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, timeoutMs: number, onTimeout: () => void) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#onTimeout = onTimeout;
  }

  beat(): void {
    this.#cancel?.();
    this.#cancel = this.#clock.schedule(this.#timeoutMs, this.#onTimeout);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
