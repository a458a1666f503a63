import type { ManifestResult } from '../status/manifest-status.ts';

/** The words for a wait: few, so that the status is not written again for each try. */
const steps = [
  [1_000, '1s'],
  [10_000, '10s'],
  [60_000, '1m0s'],
  [300_000, '5m0s'],
] as const;

/** The results with the time of the next try told where a try is due by time. */
export const withRetryTimes = (results: readonly ManifestResult[], retryMs: number): ManifestResult[] =>
  results.map((result) => {
    const { failure } = result;
    if (!failure || failure.waits) return result;
    const [, duration] = steps.find(([ms]) => retryMs <= ms) ?? steps[3];
    return { ...result, failure: { ...failure, message: `${failure.message}, will try again in ${duration}` } };
  });

/** Nothing is asked of the server in such a pass while watches are open: it is a net under them. */
const auditMs = 600_000;
/** When a work is looked at again though nothing happens. */
export interface NextLook {
  readonly ms: number;
  readonly why: string;
  /** Whether the next one is a try after a failure. */
  readonly isFailure: boolean;
}

/** The earliest reason to look again. */
export function nextLook(
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
    /** Where the cluster does not let the agent watch a kind, its objects are read so often. */
    readonly pollMs: number;
    readonly random: number;
  },
): NextLook {
  const failures = results.flatMap(({ failure }) => (failure ? [failure] : []));
  if (hasErrors || failures.some(({ waits }) => !waits)) {
    return { ms: retryMs, why: 'some manifests are not applied', isFailure: true };
  }
  const planned = Math.min(...failures.flatMap(({ retryAfterMs }) => retryAfterMs ?? []));
  const routine = (isFollowed ? auditMs : pollMs) * (1 + random / 2);
  if (planned < routine) return { ms: planned, why: 'a manifest waits for its next try', isFailure: false };
  return {
    ms: routine,
    why: isFollowed ? 'a slow look at everything' : 'some objects are not watched',
    isFailure: false,
  };
}
