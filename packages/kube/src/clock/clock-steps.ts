import type { Clock } from './clock.ts';

const everyMs = 60_000;
/** NTP slews a clock by less than this a minute. */
const toleratedMs = 2000;

/**
 * Calls back when the wall clock was set, or the machine slept, within a minute. For timers that wait for a time of the wall
 * clock, such as the end of a certificate: their delay was right for the clock as it was.
 */
export function watchClockSteps(clock: Clock, signal: AbortSignal, onStep: () => void): void {
  let offset = clock.now() - clock.monotonic();
  const check = (): void => {
    const next = clock.now() - clock.monotonic();
    const isStep = Math.abs(next - offset) > toleratedMs;
    offset = next;
    cancel = clock.schedule(everyMs, check);
    if (isStep) onStep();
  };
  if (signal.aborted) return;
  let cancel = clock.schedule(everyMs, check);
  signal.addEventListener('abort', () => cancel(), { once: true });
}
