import type { Clock } from '@flotilla/kube';
import { type EpochMs, msBetween, timeAfter } from '@flotilla/kube/clock';
import type { Probe } from '@flotilla/kube/kinds';
import type { ProbeFailure } from './run-probe.ts';

/** What a prober knows of its container. */
export type ProbeVerdict = 'unknown' | 'success' | 'failure';

export interface ProberOptions {
  readonly probe: Probe;
  readonly clock: Clock;
  /** When the container started, milliseconds since the epoch. */
  readonly startedAt: EpochMs;
  readonly run: (signal: AbortSignal) => Promise<ProbeFailure>;
  /**
   * Asks more often than the period until it has succeeded: the answers between count only if they are good. For readiness and
   * start-up, which a pod waits for.
   */
  readonly isEager?: boolean;
  /** Each attempt that failed, for events. */
  readonly onFailure: (message: string) => void;
  /** The verdict changed. */
  readonly onChange: (verdict: ProbeVerdict) => void;
}

const secondMs = 1000;
const eagerMs = 250;

/** Asks a container again and again: so many answers of a kind in a row make the verdict. */
export class Prober {
  readonly #options: ProberOptions;
  readonly #stop = new AbortController();
  #verdict: ProbeVerdict = 'unknown';
  #inARow = 0;
  #last: 'success' | 'failure' | undefined;

  constructor(options: ProberOptions) {
    this.#options = options;
    void this.#loop();
  }

  get verdict(): ProbeVerdict {
    return this.#verdict;
  }

  stop(): void {
    this.#stop.abort();
  }

  async #loop(): Promise<void> {
    const { probe, clock, startedAt } = this.#options;
    const { signal } = this.#stop;
    try {
      const first = startedAt + (probe.initialDelaySeconds ?? 0) * secondMs - clock.now();
      if (first > 0) await clock.sleep(first, signal);
      while (!signal.aborted) {
        this.#record(await this.#ask());
        await this.#wait((probe.periodSeconds ?? 10) * secondMs, signal);
      }
    } catch {
      // It was stopped.
    }
  }

  /** Until the next attempt that counts, or until an early one succeeds. */
  async #wait(periodMs: number, signal: AbortSignal): Promise<void> {
    const { clock, isEager = false } = this.#options;
    const end = timeAfter(clock.monotonic(), periodMs);
    while (isEager && this.#verdict !== 'success' && msBetween(clock.monotonic(), end) > eagerMs) {
      await clock.sleep(eagerMs, signal);
      if ((await this.#ask()) === undefined) this.#record(undefined);
    }
    await clock.sleep(Math.max(0, msBetween(clock.monotonic(), end)), signal);
  }

  async #ask(): Promise<ProbeFailure> {
    const { probe, clock, run } = this.#options;
    const timeout = new AbortController();
    const cancel = clock.schedule((probe.timeoutSeconds ?? 1) * secondMs, () => timeout.abort());
    try {
      return await run(AbortSignal.any([timeout.signal, this.#stop.signal]));
    } finally {
      cancel();
    }
  }

  #record(failure: ProbeFailure): void {
    if (this.#stop.signal.aborted) return;
    const { probe, onFailure, onChange } = this.#options;
    const answer = failure === undefined ? 'success' : 'failure';
    this.#inARow = answer === this.#last ? this.#inARow + 1 : 1;
    this.#last = answer;
    if (failure !== undefined) onFailure(failure);
    const needed = answer === 'success' ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3);
    if (this.#inARow < needed || this.#verdict === answer) return;
    this.#verdict = answer;
    onChange(answer);
  }
}
