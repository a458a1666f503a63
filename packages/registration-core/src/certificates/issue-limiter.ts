import type { Clock } from '@flotilla/kube';
import { backoffMs, type EpochMs, type MonotonicTime, msBetween, timeAfter } from '@flotilla/kube/clock';
import type { CertificateChain } from './certificate-chain.ts';
import { aheadClockMessage, wrongClockMessage } from './wrong-clock.ts';

/** Certificates may live for seconds: this much must be left of one that was just issued. */
const minLeftMs = 5000;
/** Signers of Kubernetes let a life begin five minutes before they sign. One that began earlier than this tells of another clock. */
const maxAgeMs = 600_000;
/** Less than this share of its life must not be left of a certificate that was just issued: it would be due at once, or soon. */
const leastShareLeft = 0.5;
/** How much of what is left of such a certificate is used. Waiting longer would end it. */
const shareUsed = 0.75;
/** NTP slews a clock by less than this between two attempts. */
const minStepMs = 10_000;
const backoff = { baseMs: 60_000, maxMs: 3_600_000 };

/** When a certificate is good, milliseconds since the epoch. */
type CertificateLife = Pick<CertificateChain, 'notBefore' | 'notAfter'>;

/** Whether a certificate that was just issued has so little of its life left that the clocks must differ. */
const isOld = ({ notBefore, notAfter }: CertificateLife, now: EpochMs): boolean =>
  now - notBefore > maxAgeMs && notAfter - now < (notAfter - notBefore) * leastShareLeft;

/** Why not to ask for a certificate yet, and for how long. */
export interface IssueDelay {
  readonly why: string;
  readonly checkAfterMs: number;
}

/** Limits requests while certificates come with little or nothing of their life left, because the clock of the cluster is ahead. */
export interface IssueLimiter {
  /** The hub issued a certificate. Returns what is wrong if one after the other has ended, or is about to. */
  observe(life: CertificateLife): string | undefined;
  /** Undefined if a certificate may be requested now. */
  delay(): IssueDelay | undefined;
}

/** A limiter that has observed nothing. */
export function createIssueLimiter(clock: Clock, random: () => number): IssueLimiter {
  let count = 0;
  let why = '';
  let askAgainAt: MonotonicTime | undefined;
  /** How far the wall clock was ahead of the monotonic one. */
  let offsetMs = 0;
  const currentOffsetMs = () => clock.now() - clock.monotonic();
  return {
    observe(life) {
      const now = clock.now();
      const leftMs = life.notAfter - now;
      const isEnding = leftMs < minLeftMs;
      if (!isEnding && !isOld(life, now)) {
        count = 0;
        askAgainAt = undefined;
        return undefined;
      }
      count += 1;
      // The first one may have been issued long ago, while the agent was away.
      if (count === 1) return undefined;
      offsetMs = currentOffsetMs();
      const usableMs = leftMs * shareUsed;
      const waitMs = usableMs >= backoff.baseMs ? usableMs : backoffMs(backoff, count - 1, random());
      askAgainAt = timeAfter(clock.monotonic(), waitMs);
      const ends = new Date(life.notAfter).toISOString();
      why = isEnding ? wrongClockMessage(`the certificate ends at ${ends}`, now) : aheadClockMessage(life, now);
      return why;
    },
    delay() {
      const checkAfterMs = askAgainAt === undefined ? 0 : msBetween(clock.monotonic(), askAgainAt);
      const isSetBack = currentOffsetMs() < offsetMs - minStepMs;
      return checkAfterMs > 0 && !isSetBack ? { why, checkAfterMs } : undefined;
    },
  };
}
