import type { ManifestFailure } from '../apply/failure.ts';
import type { CachedMetadata } from '../watch/kind-watch.ts';

/** What came of a manifest in the last sync. */
export type Outcome =
  | { readonly kind: 'applied' }
  /** It was observed and not applied: whether it is as the manifest says is not known. */
  | { readonly kind: 'observed' }
  /** A Job that finished and was deleted after its time to live is not created again. */
  | { readonly kind: 'finished' }
  /** The executor of the work is not allowed to apply it, which is decided anew in each sync. */
  | { readonly kind: 'refused'; readonly failure: ManifestFailure }
  | FailedOutcome
  /** Another writer undoes each change, and is left alone until then, by the monotonic clock. */
  | { readonly kind: 'paused'; readonly failure: ManifestFailure; readonly until: number };

/** An apply that failed. */
export interface FailedOutcome {
  readonly kind: 'failed';
  readonly failure: ManifestFailure;
  /** Failures in a row since the object, the manifest or the work changed. */
  readonly failures: number;
  /** By the monotonic clock. */
  readonly retryAt: number;
  /** Generation of the work for which it was tried. */
  readonly generation: number | undefined;
}

/** Why the manifest is not applied, if it is not. */
export const failureOfOutcome = (outcome: Outcome): ManifestFailure | undefined =>
  'failure' in outcome ? outcome.failure : undefined;

/** How long after `now` the manifest is tried again although nothing happens; undefined if it is not. */
export function retryMsOf(outcome: Outcome, now: number): number | undefined {
  switch (outcome.kind) {
    case 'failed':
      return Math.max(0, outcome.retryAt - now);
    case 'paused':
      return Math.max(0, outcome.until - now);
    case 'refused':
      return outcome.failure.retryAfterMs;
    default:
      return undefined;
  }
}

/** What is known about the object of a failure, and about its work. */
export interface RetryMoment {
  readonly now: number;
  readonly generation: number | undefined;
  /** The version that was observed after the failure. */
  readonly seen: { readonly uid?: string; readonly resourceVersion?: string; readonly generation?: number };
  readonly cached: CachedMetadata;
  /** The object whose existence the failure awaits. */
  readonly awaited: CachedMetadata;
}

/** Whether a manifest that failed is worth a try before its time: what it depends on has changed. */
export function hasCauseToRetry({ failure, generation }: FailedOutcome, moment: RetryMoment): boolean {
  const { seen, cached, awaited } = moment;
  if (generation !== moment.generation) return true;
  if (failure.awaits && awaited.kind === 'present' && !awaited.metadata.deletionTimestamp) return true;
  if (cached.kind === 'unknown') return false;
  if (cached.kind === 'deleted') return seen.uid !== undefined;
  const { metadata } = cached;
  if (metadata.uid !== seen.uid) return true;
  // Who owns which fields shows in the version only; a server that refused a spec refuses it whatever the status is.
  const isBodyKnown = !failure.waits && metadata.generation !== undefined;
  return isBodyKnown ? metadata.generation !== seen.generation : metadata.resourceVersion !== seen.resourceVersion;
}
