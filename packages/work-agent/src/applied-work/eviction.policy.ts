import type { AppliedManifestWork } from '@flotilla/api-types';
import { parseTime } from '@flotilla/kube/meta';

/** From so long on, works are never evicted. */
const never = 100 * 365 * 24 * 3_600_000;

/** What is to be done about an AppliedManifestWork whose work may be gone from the hub. */
export type Eviction =
  | { readonly kind: 'keep' }
  /** Its work is back, or eviction was switched off. */
  | { readonly kind: 'cancel' }
  | { readonly kind: 'start' }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'evict' };

/** Decides by whether the hub still has the work, and for how long it has not had it. */
export function decideEviction(
  appliedWork: AppliedManifestWork,
  {
    isManaged,
    graceMs,
    ageOf,
  }: {
    readonly isManaged: boolean;
    readonly graceMs: number;
    /** How long ago a time was, which need not be what the wall clock says now. */
    readonly ageOf: (time: number) => number;
  },
): Eviction {
  const start = parseTime(appliedWork.status?.evictionStartTime);
  if (isManaged || graceMs >= never) return { kind: start === undefined ? 'keep' : 'cancel' };
  if (start === undefined) return { kind: 'start' };
  const ms = graceMs - ageOf(start);
  return ms > 0 ? { kind: 'wait', ms } : { kind: 'evict' };
}
