import type { Clock } from '@flotilla/kube';
import type { Storage } from '../contracts/storage.ts';

/** As kube-apiserver does with etcd: every five minutes, what is older than the interval before goes. */
const compactionIntervalMs = 5 * 60_000;

/** Compacts now and then until the returned function is called. A watch that resumes within an interval never misses a change. */
export function compactRegularly(storage: Storage, clock: Clock, intervalMs = compactionIntervalMs): () => void {
  let cancel = () => {};
  const next = (keepFrom: number): void => {
    cancel = clock.schedule(intervalMs, () => {
      storage.compact(keepFrom);
      next(storage.revision);
    });
  };
  next(storage.revision);
  return () => cancel();
}
