import { backoffMs } from '@flotilla/kube/clock';
import type { ManifestFailure } from '../apply/failure.ts';
import type { FailedOutcome, Outcome } from './outcome.ts';

/** After failures of a manifest in a row. */
export const retry = { baseMs: 100, maxMs: 300_000 };
/** While the cluster does not answer. */
const outage = { baseMs: 100, maxMs: 30_000 };
/** Until a failure that ends with an event is tried again although no event came. */
const missedEventMs = 600_000;
/** Until a refusal of the executor is checked again, should no change of rights be observed. */
const refusedMs = 60_000;

/** Durations as they are reported: few, so that the status is not written again for each try. */
const steps = [
  [1_000, '1s'],
  [10_000, '10s'],
  [60_000, '1m0s'],
  [300_000, '5m0s'],
] as const;

/** The failure, with the time of the next try where a try is due by time. */
export function withRetryTime(failure: ManifestFailure, retryMs: number): ManifestFailure {
  if (failure.waits) return failure;
  const [, duration] = steps.find(([ms]) => retryMs <= ms) ?? steps[3];
  return { ...failure, message: `${failure.message}, will try again in ${duration}` };
}

/** The failure of a manifest that the executor of its work is not allowed to apply. */
export const refusalOf = (message: string): ManifestFailure => ({
  reason: 'AppliedManifestFailed',
  message,
  waits: true,
  retryAfterMs: refusedMs,
  isRefusal: true,
});

/** What came of a try that failed. `before` is the outcome of the same intent. */
export function failedOutcome(
  failure: ManifestFailure,
  before: Outcome | undefined,
  {
    now,
    generation,
    random,
  }: { readonly now: number; readonly generation: number | undefined; readonly random: number },
): FailedOutcome {
  const isInRow = before?.kind === 'failed' && before.generation === generation && now >= before.retryAt;
  const failures = isInRow ? before.failures + 1 : 1;
  const retryMs = failure.waits
    ? (failure.retryAfterMs ?? missedEventMs)
    : backoffMs(failure.isOutage ? outage : retry, failures, random);
  return { kind: 'failed', failure: withRetryTime(failure, retryMs), failures, retryAt: now + retryMs, generation };
}

/** While watches are open such a sync sends no request: it is a safety net. */
const auditMs = 600_000;

/** When a work is synced again although nothing happens. */
export interface NextSync {
  readonly ms: number;
  readonly why: string;
}

/** The earliest reason to sync again. */
export function nextSync({
  retriesMs,
  isFollowed,
  pollMs,
  random,
}: {
  /** Until the next tries of what failed. */
  readonly retriesMs: readonly number[];
  readonly isFollowed: boolean;
  /** How often the objects of a kind are read that the agent is not allowed to watch. */
  readonly pollMs: number;
  readonly random: number;
}): NextSync {
  const retryMs = Math.min(...retriesMs);
  const routine = (isFollowed ? auditMs : pollMs) * (1 + random / 2);
  if (retryMs < routine) return { ms: retryMs, why: 'some manifests are not applied' };
  return { ms: routine, why: isFollowed ? 'a regular resync' : 'some objects are not watched' };
}
