import { type Clock, KubeError, type Logger } from '@flotilla/kube';
import { backoffMs } from '@flotilla/kube/clock';
import type { Observable } from 'rxjs';
import { WakeSignal } from '../credentials/wake-signal.ts';

/** How to retry. */
export interface RetryOptions {
  /** Emits when another attempt is worthwhile at once. */
  readonly changes: Observable<void>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

const backoff = { baseMs: 500, maxMs: 30_000 };

/** Tries until it works or the signal aborts; undefined in that case. `what` completes the sentence "cannot …". */
export async function retryUntilDone<T>(
  what: string,
  { changes, clock, log, random, signal }: RetryOptions,
  attempt: () => Promise<T>,
): Promise<T | undefined> {
  const wakeSignal = new WakeSignal(clock);
  const subscription = changes.subscribe(wakeSignal.wake);
  try {
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (signal.aborted) return undefined;
        log.warn(`cannot ${what}`, { error: KubeError.from(error) });
        if (await wakeSignal.wait(backoffMs(backoff, failures, random()), signal)) failures = 0;
      }
    }
    return undefined;
  } finally {
    subscription.unsubscribe();
  }
}
