import { type ManagedClusterTaint, type PlacementToleration, SchedulingPlugin, TaintEffect } from '@flotilla/api-types';
import type { WallTime } from '@flotilla/kube/clock';
import { parseTime } from '@flotilla/kube/meta';
import { MisconfiguredError } from './schedule-status.ts';

/** Whether the taints of a cluster are tolerated, and until when that holds. */
export interface Tolerance {
  /** For a cluster that the placement has not selected. */
  readonly asNew: boolean;
  /** For a cluster that the placement has selected: NoSelectIfNew does not count. */
  readonly asDecided: boolean;
  /** False if a PreferNoSelect taint is not tolerated. */
  readonly isPreferred: boolean;
  /** Milliseconds since the epoch at which a toleration in use ends; Infinity if none ends. */
  readonly deadline: number;
}

/** No taint, nothing to tolerate. */
export const untainted: Tolerance = {
  asNew: true,
  asDecided: true,
  isPreferred: true,
  deadline: Number.POSITIVE_INFINITY,
};

/** Refuses tolerations that contradict themselves; the first one counts. Throws MisconfiguredError. */
export function checkTolerations(tolerations: readonly PlacementToleration[]): void {
  for (const { key, operator, value } of tolerations) {
    if (!key && operator !== 'Exists') {
      throw new MisconfiguredError(SchedulingPlugin.TaintToleration, 'If the key is empty, operator must be Exists.');
    }
    if (operator === 'Exists' && value) {
      throw new MisconfiguredError(
        SchedulingPlugin.TaintToleration,
        'If the operator is Exists, the value should be empty.',
      );
    }
  }
}

function meets(toleration: PlacementToleration, taint: ManagedClusterTaint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  if (toleration.operator === 'Exists') return true;
  return (!toleration.operator || toleration.operator === 'Equal') && (toleration.value ?? '') === (taint.value ?? '');
}

/** When a toleration of a taint ends. A taint without a time counts as added long ago. */
function deadlineOf({ tolerationSeconds }: PlacementToleration, { timeAdded }: ManagedClusterTaint): number {
  if (tolerationSeconds === undefined) return Number.POSITIVE_INFINITY;
  const added = parseTime(timeAdded ?? undefined);
  return added === undefined ? Number.NEGATIVE_INFINITY : added + tolerationSeconds * 1000;
}

/** The end of the first toleration in the list that tolerates a taint now; undefined if none does. */
function toleratedUntil(
  tolerations: readonly PlacementToleration[],
  taint: ManagedClusterTaint,
  now: WallTime,
): number | undefined {
  for (const toleration of tolerations) {
    if (!meets(toleration, taint)) continue;
    const deadline = deadlineOf(toleration, taint);
    if (now < deadline) return deadline;
  }
  return undefined;
}

/** Whether tolerations cover all taints of a cluster at a time. */
export function toleranceOf(
  tolerations: readonly PlacementToleration[],
  taints: readonly ManagedClusterTaint[],
  now: WallTime,
): Tolerance {
  if (taints.length === 0) return untainted;
  const missing = new Set<string>();
  let deadline = Number.POSITIVE_INFINITY;
  for (const taint of taints) {
    const until = toleratedUntil(tolerations, taint, now);
    if (until === undefined) missing.add(taint.effect);
    else deadline = Math.min(deadline, until);
  }
  const asDecided = !missing.has(TaintEffect.NoSelect);
  return {
    asNew: asDecided && !missing.has(TaintEffect.NoSelectIfNew),
    asDecided,
    isPreferred: !missing.has(TaintEffect.PreferNoSelect),
    deadline,
  };
}
