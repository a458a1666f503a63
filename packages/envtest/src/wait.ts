import type { Clock } from '@flotilla/kube';
import { EnvtestError } from './errors.ts';

/** Tries until `attempt` says true; what it throws counts as "not yet" and becomes the cause of the time-out. */
export async function waitUntil(
  what: string,
  attempt: (signal: AbortSignal) => Promise<boolean>,
  options: { clock: Clock; timeoutMs: number; intervalMs?: number; signal?: AbortSignal },
): Promise<void> {
  const { clock, timeoutMs, intervalMs = 50 } = options;
  const expiry = new AbortController();
  const cancel = clock.schedule(timeoutMs, () => expiry.abort());
  const signal = options.signal ? AbortSignal.any([options.signal, expiry.signal]) : expiry.signal;
  let last: unknown;
  try {
    while (!signal.aborted) {
      try {
        if (await attempt(signal)) return;
        last = undefined;
      } catch (error) {
        last = error;
      }
      await clock.sleep(intervalMs, signal).catch(() => {});
    }
  } finally {
    cancel();
  }
  options.signal?.throwIfAborted();
  const why = last instanceof Error ? `; the last attempt failed: ${last.message}` : '';
  throw new EnvtestError('Timeout', `waited ${timeoutMs} ms until ${what}${why}`, { cause: last });
}
