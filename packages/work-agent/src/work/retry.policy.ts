import type { ManifestResult } from '../status/manifest-status.ts';

/** Durations as they are reported: few, so that the status is not written again for each try. */
const steps = [
  [1_000, '1s'],
  [10_000, '10s'],
  [60_000, '1m0s'],
  [300_000, '5m0s'],
] as const;

/** The results, with the time of the next try where a try is due by time. */
export const withRetryTimes = (results: readonly ManifestResult[], retryMs: number): ManifestResult[] =>
  results.map((result) => {
    const { failure } = result;
    if (!failure || failure.waits) return result;
    const [, duration] = steps.find(([ms]) => retryMs <= ms) ?? steps[3];
    return { ...result, failure: { ...failure, message: `${failure.message}, will try again in ${duration}` } };
  });

/** While watches are open such a sync sends no request: it is a safety net. */
const auditMs = 600_000;
/** When a work is synced again although nothing happens. */
export interface NextSync {
  readonly ms: number;
  readonly why: string;
  /** Whether the next one is a try after a failure. */
  readonly isFailure: boolean;
}

/** The earliest reason to sync again. */
export function nextSync(
  results: readonly ManifestResult[],
  {
    hasErrors,
    retryMs,
    isFollowed,
    pollMs,
    random,
  }: {
    readonly hasErrors: boolean;
    readonly retryMs: number;
    readonly isFollowed: boolean;
    /** How often the objects of a kind are read that the agent is not allowed to watch. */
    readonly pollMs: number;
    readonly random: number;
  },
): NextSync {
  const failures = results.flatMap(({ failure }) => (failure ? [failure] : []));
  if (hasErrors || failures.some(({ waits }) => !waits)) {
    return { ms: retryMs, why: 'some manifests are not applied', isFailure: true };
  }
  const planned = Math.min(...failures.flatMap(({ retryAfterMs }) => retryAfterMs ?? []));
  const routine = (isFollowed ? auditMs : pollMs) * (1 + random / 2);
  if (planned < routine) return { ms: planned, why: 'a manifest waits for its next try', isFailure: false };
  return {
    ms: routine,
    why: isFollowed ? 'a regular resync' : 'some objects are not watched',
    isFailure: false,
  };
}
