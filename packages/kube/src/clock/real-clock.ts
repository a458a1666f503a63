import type { Clock } from './clock.ts';
import { type MonotonicTime, wallTime } from './time.ts';

/** Node fires a longer timer at once (its delay is a signed 32-bit number), so longer waits go in steps. */
const longestTimerMs = 2 ** 31 - 1;

function startTimer(ms: number, keepAlive: boolean, callback: () => void): () => void {
  const deadline = performance.now() + ms;
  let timer: NodeJS.Timeout;
  const arm = () => {
    const left = Math.max(0, deadline - performance.now());
    timer = setTimeout(left > longestTimerMs ? arm : callback, Math.min(Math.ceil(left), longestTimerMs));
    if (!keepAlive) timer.unref();
  };
  arm();
  return () => clearTimeout(timer);
}

/** The machine's clock. A pending `sleep` keeps the process alive, because a caller waits for it; a scheduled callback does not. */
export const realClock: Clock = {
  now: () => wallTime(Date.now()),
  monotonic: () => performance.now() as MonotonicTime,
  schedule: (ms, callback) => startTimer(ms, false, callback),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        cancel();
        reject(signal?.reason);
      };
      const cancel = startTimer(ms, true, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
};
