import {
  ManifestWorkReplicaSetCondition as Condition,
  ManifestWorkCondition,
  type ManifestWorkReplicaSetStatus,
  type ManifestWorkReplicaSetSummary,
  ManifestWorkReplicaSetReason as Reason,
} from '@flotilla/api-types';
import { type ConditionInput, isConditionTrue, isDeleting } from '@flotilla/kube';
import type { EpochMs } from '@flotilla/kube/clock';
import { setConditions } from '@flotilla/kube/conditions';
import { semanticEqual } from '@flotilla/kube/meta';
import { failureCondition } from './failures.status.ts';
import type { GeneratedWork } from './generated-work.ts';
import { heldCondition } from './held.status.ts';
import type { ReplicaSetOutcome } from './outcome.ts';

const counted = [
  ['applied', ManifestWorkCondition.Applied],
  ['available', ManifestWorkCondition.Available],
  ['degraded', ManifestWorkCondition.Degraded],
  ['progressing', ManifestWorkCondition.Progressing],
] as const;

/** Counts works that carry the template. The order of fields is that of OCM. */
function summaryOf(total: number, works: readonly GeneratedWork[]): Required<ManifestWorkReplicaSetSummary> {
  const summary = { total, progressing: 0, available: 0, degraded: 0, applied: 0, desiredTotal: 0, updated: 0 };
  for (const work of works) {
    if (isDeleting(work)) continue;
    for (const [field, type] of counted) if (isConditionTrue(work.status?.conditions, type)) summary[field] += 1;
  }
  return summary;
}

/** As OCM says it: messages are empty, and no generation is named. */
const condition = (type: string, status: 'True' | 'False', reason: string): ConditionInput => ({
  type,
  status,
  reason,
  message: '',
});

function verifiedCondition({ missing, invalid }: ReplicaSetOutcome, selected: number): ConditionInput {
  const type = Condition.PlacementVerified;
  const reasons = Reason.PlacementVerified;
  if (missing.length > 0) return condition(type, 'False', reasons.PlacementDecisionNotFound);
  if (selected > 0) return condition(type, 'True', reasons.AsExpected);
  return condition(type, 'False', invalid.length > 0 ? reasons.NotAsExpected : reasons.PlacementDecisionEmpty);
}

function appliedCondition(
  { total, available, progressing, degraded }: Required<ManifestWorkReplicaSetSummary>,
  verified: ConditionInput,
): ConditionInput {
  const type = Condition.ManifestworkApplied;
  const reasons = Reason.ManifestworkApplied;
  if (total === 0) {
    const isEmpty = verified.reason === Reason.PlacementVerified.PlacementDecisionEmpty;
    return condition(type, 'False', isEmpty ? reasons.PlacementDecisionEmpty : reasons.NotAsExpected);
  }
  if (available === total && progressing === 0 && degraded === 0) return condition(type, 'True', reasons.AsExpected);
  return condition(type, 'False', progressing > 0 && degraded === 0 ? reasons.Processing : reasons.NotAsExpected);
}

function rolledOutCondition({ placements, missing, invalid }: ReplicaSetOutcome): ConditionInput {
  const type = Condition.PlacementRolledOut;
  const selected = placements.reduce(
    (sum, { placement }) => sum + (placement.status?.numberOfSelectedClusters ?? 0),
    0,
  );
  const succeeded = placements.reduce((sum, each) => sum + each.succeeded, 0);
  const isComplete = selected === succeeded && missing.length === 0 && invalid.length === 0;
  return isComplete
    ? condition(type, 'True', Reason.PlacementRolledOut.Complete)
    : condition(type, 'False', Reason.PlacementRolledOut.Progressing);
}

const withoutZeros = (summary: ManifestWorkReplicaSetSummary = {}): ManifestWorkReplicaSetSummary =>
  Object.fromEntries(Object.entries(summary).filter(([, count]) => count !== 0));

/** Whether two statuses say the same. Counts that are 0 may be absent: OCM writes a count when it changes for the first time. */
export function isSameStatus(a: ManifestWorkReplicaSetStatus = {}, b: ManifestWorkReplicaSetStatus = {}): boolean {
  const normalised = ({ conditions, summary, placementSummary = [] }: ManifestWorkReplicaSetStatus) => ({
    conditions,
    summary: withoutZeros(summary),
    placementSummary: placementSummary.map((each) => ({ ...each, summary: withoutZeros(each.summary) })),
  });
  return semanticEqual(normalised(a), normalised(b));
}

/** The status of a replica set whose works cannot be labelled. */
export const invalidOwnerStatus = (
  status: ManifestWorkReplicaSetStatus | undefined,
  message: string,
  now: EpochMs,
): ManifestWorkReplicaSetStatus => {
  const reason = Reason.ManifestworkApplied.InvalidManifestWorkName;
  const invalid: ConditionInput = { type: Condition.ManifestworkApplied, status: 'False', reason, message };
  return { ...status, conditions: [...setConditions(status?.conditions, [invalid], now)] };
};

/** The status of a replica set of which this came. */
export function replicaSetStatus(
  status: ManifestWorkReplicaSetStatus | undefined,
  outcome: ReplicaSetOutcome,
  { now, reportsHolds }: { readonly now: EpochMs; readonly reportsHolds: boolean },
): ManifestWorkReplicaSetStatus {
  const verified = verifiedCondition(
    outcome,
    outcome.placements.reduce((sum, { selected }) => sum + selected.size, 0),
  );
  const held = heldCondition(status?.conditions, outcome.placements, reportsHolds);
  // As in OCM: without its placements, nothing is known of the rest.
  if (outcome.missing.length > 0 && outcome.placements.length === 0) {
    return { ...status, conditions: [...setConditions(status?.conditions, [verified, ...held], now)] };
  }
  const placementSummary = outcome.placements.map(({ name, placement, current, written }) => {
    const { numberOfSelectedClusters = 0, decisionGroups = [] } = placement.status ?? {};
    // Works that were updated just now are among the current ones, if the cache has them already.
    const total = new Set([...current.map(({ metadata }) => metadata?.namespace ?? ''), ...written]).size;
    return {
      name,
      availableDecisionGroups: `${decisionGroups.length} (${total} / ${numberOfSelectedClusters} clusters applied)`,
      summary: summaryOf(total, current),
    };
  });
  const summary = placementSummary.reduce(
    (sum, { summary: each }) => ({
      total: sum.total + each.total,
      progressing: sum.progressing + each.progressing,
      available: sum.available + each.available,
      degraded: sum.degraded + each.degraded,
      applied: sum.applied + each.applied,
      // OCM has these fields and never writes them.
      desiredTotal: sum.desiredTotal,
      updated: sum.updated + each.total,
    }),
    {
      ...summaryOf(0, []),
      desiredTotal: outcome.placements.reduce((sum, { selected }) => sum + selected.size, 0),
    },
  );
  const conditions = [
    verified,
    rolledOutCondition(outcome),
    appliedCondition(summary, verified),
    ...failureCondition(status?.conditions, outcome),
    ...held,
  ];
  return {
    ...status,
    conditions: [...setConditions(status?.conditions, conditions, now)],
    summary,
    placementSummary,
  };
}
