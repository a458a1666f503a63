import type { Readable } from 'node:stream';
import { getHeapSnapshot, getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import type { Clock } from '@flotilla/kube';

/** Records what the process spends its CPU on, for Chrome's developer tools or speedscope (`.cpuprofile`). */
export async function cpuProfile({
  ms,
  clock,
  signal,
}: {
  ms: number;
  clock: Clock;
  signal: AbortSignal;
}): Promise<string> {
  // Loaded only when asked for: the inspector costs memory.
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
    await clock.sleep(ms, signal);
    const { profile } = await session.post('Profiler.stop');
    return JSON.stringify(profile);
  } finally {
    session.disconnect();
  }
}

/** All objects on the heap, for Chrome's developer tools (`.heapsnapshot`). Stops the process while it is taken. */
export const heapSnapshot = (): Readable => getHeapSnapshot();

/** Sizes of the heap and its spaces, and of the process: cheap. */
export const heapStatistics = (): string =>
  `${JSON.stringify({ process: process.memoryUsage(), heap: getHeapStatistics(), spaces: getHeapSpaceStatistics() }, null, 2)}\n`;
