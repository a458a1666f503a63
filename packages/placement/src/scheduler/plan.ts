import type { Placement, PlacementPredicate, PlacementToleration } from '@flotilla/api-types';
import { type GroupPlan, groupPlanOf } from './decision-groups.ts';
import { checkSize } from './placement-size.ts';
import type { Predicate } from './predicate.ts';
import { type Prioritizer, prioritizersOf } from './prioritizers.ts';
import { MisconfiguredError, type ScheduleStatus, success } from './schedule-status.ts';
import { checkTolerations } from './tolerations.ts';

/** A spec that was checked and compiled. Parts after the first fault are empty: nothing that is misconfigured is carried out. */
export interface PlacementPlan {
  /** Success, or the first fault in the order in which OCM finds faults. */
  readonly status: ScheduleStatus;
  /** Undefined unless all of them compile; no predicate means that every cluster matches. */
  readonly predicates?: readonly Predicate[];
  /** Undefined unless they are valid. */
  readonly tolerations?: readonly PlacementToleration[];
  readonly prioritizers: readonly Prioritizer[];
  /** All clusters if unset. */
  readonly numberOfClusters?: number;
  readonly groups?: GroupPlan;
}

/** The name of a placement is the value of a label on its decisions. */
const longestName = 63;

function checkName(name: string): void {
  if (name.length <= longestName) return;
  throw new MisconfiguredError(
    '',
    `the name has ${name.length} characters, but decisions carry it in a label, which takes ${longestName}: create the placement again with a shorter name`,
  );
}

function checkNumber(count: number | undefined): void {
  if (count === undefined || count >= 0) return;
  throw new MisconfiguredError('', `numberOfClusters must be greater than or equal to 0, not ${count}`);
}

/** Checks and compiles a placement. Never throws for what a user wrote. */
export function planOf(
  { metadata, spec }: Placement,
  compile: (predicate: PlacementPredicate) => Predicate,
): PlacementPlan {
  let plan: PlacementPlan = { status: success, prioritizers: [] };
  try {
    checkName(metadata?.name ?? '');
    checkSize(spec ?? {});
    plan = { ...plan, predicates: (spec?.predicates ?? []).map(compile) };
    const tolerations = spec?.tolerations ?? [];
    checkTolerations(tolerations);
    plan = { ...plan, tolerations };
    plan = { ...plan, prioritizers: prioritizersOf(spec?.prioritizerPolicy) };
    checkNumber(spec?.numberOfClusters);
    return {
      ...plan,
      numberOfClusters: spec?.numberOfClusters,
      groups: groupPlanOf(spec?.decisionStrategy?.groupStrategy),
    };
  } catch (error) {
    if (error instanceof MisconfiguredError) return { ...plan, status: error.status };
    throw error;
  }
}
