import type { Clock } from '@flotilla/kube';
import { backoffMs } from '@flotilla/kube/clock';
import type { CertificateChain } from './certificate-chain.ts';
import { wrongClockMessage } from './wrong-clock.ts';

/** Certificates may live for seconds: this much must be left of one that was just issued. */
const minLeftMs = 5000;
/** NTP slews a clock by less than this between two attempts. */
const minStepMs = 10_000;
const backoff = { baseMs: 60_000, maxMs: 3_600_000 };

/** Why not to ask for a certificate yet, and for how long. */
export interface IssueDelay {
  readonly why: string;
  readonly checkAfterMs: number;
}

/** Limits requests while certificates end before they can be used, because the clock of the cluster is ahead of the hub's. */
export interface IssueLimiter {
  /** The hub issued a certificate. Returns what is wrong if one after the other has ended, or is about to. */
  observe(chain: Pick<CertificateChain, 'notAfter'>): string | undefined;
  /** Undefined if a certificate may be requested now. */
  delay(): IssueDelay | undefined;
}

/** A limiter that has observed nothing. */
export function createIssueLimiter(clock: Clock, random: () => number): IssueLimiter {
  let count = 0;
  let why = '';
  /** By the monotonic clock. */
  let askAgainAt = Number.NEGATIVE_INFINITY;
  /** How far the wall clock was ahead of the monotonic one. */
  let offsetMs = 0;
  const currentOffsetMs = () => clock.now() - clock.monotonic();
  return {
    observe({ notAfter }) {
      const leftMs = notAfter - clock.now();
      if (leftMs >= minLeftMs) {
        count = 0;
        askAgainAt = Number.NEGATIVE_INFINITY;
        return undefined;
      }
      count += 1;
      // The first one may have been issued long ago, while the agent was away.
      if (count === 1) return undefined;
      offsetMs = currentOffsetMs();
      askAgainAt = clock.monotonic() + backoffMs(backoff, count - 1, random());
      why = wrongClockMessage(`the certificate ends at ${new Date(notAfter).toISOString()}`, clock.now());
      return why;
    },
    delay() {
      const checkAfterMs = askAgainAt - clock.monotonic();
      const isSetBack = currentOffsetMs() < offsetMs - minStepMs;
      return checkAfterMs > 0 && !isSetBack ? { why, checkAfterMs } : undefined;
    },
  };
}
