import type { Clock } from '@flotilla/kube';
import { backoffMs, type MonotonicTime, msBetween, timeAfter } from '@flotilla/kube/clock';
import type { IssuerContext } from '../contract/index.ts';
import { onceAccepted } from './accepted-again.ts';

/** How long to respect a refusal before asking again. */
const backoff = { baseMs: 60_000, maxMs: 3_600_000 };

/** What is remembered of requests that the hub refused. A refused request never becomes good; another one may. */
export interface Refusals {
  /** Delay before the next request; 0 if none. */
  waitMs(): number;
  /** Records a refusal, and gives how long to wait. When an administrator accepts the cluster, the wait ends and the issuer wakes. */
  add(context: Pick<IssuerContext, 'informers' | 'signal' | 'wake'>): number;
  /** The hub issued a certificate. */
  clear(): void;
}

/** No refusals yet. */
export function createRefusals(clusterName: string, clock: Clock, random: () => number): Refusals {
  let count = 0;
  let askAgainAt: MonotonicTime | undefined;
  let stopAwaiting = () => {};
  return {
    waitMs: () => (askAgainAt === undefined ? 0 : Math.max(0, msBetween(clock.monotonic(), askAgainAt))),
    add({ informers, signal, wake }) {
      count += 1;
      const waitMs = backoffMs(backoff, count, random());
      askAgainAt = timeAfter(clock.monotonic(), waitMs);
      stopAwaiting();
      // After a first refusal also if the cluster is accepted already: whether that came before or after is not known.
      stopAwaiting = onceAccepted({ informers, clusterName, wasRefused: count === 1, signal }, () => {
        askAgainAt = undefined;
        wake();
      });
      return waitMs;
    },
    clear() {
      count = 0;
    },
  };
}
