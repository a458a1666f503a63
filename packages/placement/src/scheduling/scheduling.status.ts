import {
  type DecisionGroupStatus,
  type Placement,
  PlacementCondition,
  PlacementReason,
  type PlacementStatus,
} from '@flotilla/api-types';
import type { ConditionInput } from '@flotilla/kube';
import { setConditions } from '@flotilla/kube/conditions';
import type { ScheduleResult } from '../engine/schedule-result.ts';
import { messageOf, type ScheduleStatus } from '../scheduler/schedule-status.ts';

const satisfied = PlacementReason.Satisfied;
const misconfigured = PlacementReason.Misconfigured;

/** Why not all clusters are selected; undefined if they are. The first reason counts, as in OCM. */
function missing(
  { validSets, eligibleSets, hasCandidates, status, unscheduled }: ScheduleResult,
  wantedSets: readonly string[],
  selected: number,
): { readonly reason: string; readonly message: string } | undefined {
  if (validSets.length === 0) {
    const message = 'No valid ManagedClusterSetBindings found in placement namespace';
    return { reason: satisfied.NoManagedClusterSetBindings, message };
  }
  if (eligibleSets.length === 0) {
    const message = `None of ManagedClusterSets [${wantedSets.join(',')}] is bound to placement namespace`;
    return { reason: satisfied.NoIntersection, message };
  }
  if (!hasCandidates) {
    const message = `All ManagedClusterSets [${eligibleSets.join(',')}] have no member ManagedCluster`;
    return { reason: satisfied.AllManagedClusterSetsEmpty, message };
  }
  if (status.code === 'Error') return { reason: satisfied.NotAllDecisionsScheduled, message: messageOf(status) };
  if (selected === 0) {
    const message = 'No ManagedCluster matches any of the cluster predicate';
    return { reason: satisfied.NoManagedClusterMatched, message };
  }
  if (unscheduled > 0) {
    return { reason: satisfied.NotAllDecisionsScheduled, message: `${unscheduled} cluster decisions unscheduled` };
  }
  return undefined;
}

/** Whether as many clusters are selected as were asked for. */
function satisfiedCondition(result: ScheduleResult, wantedSets: readonly string[], selected: number): ConditionInput {
  const type = PlacementCondition.Satisfied;
  const why = missing(result, wantedSets, selected);
  if (why) return { type, status: 'False', ...why };
  return {
    type,
    status: 'True',
    reason: satisfied.AllDecisionsScheduled,
    message: 'All cluster decisions scheduled',
  };
}

/** Whether the spec can be carried out. */
function misconfiguredCondition(status: ScheduleStatus): ConditionInput {
  const type = PlacementCondition.Misconfigured;
  return status.code === 'Misconfigured'
    ? { type, status: 'True', reason: misconfigured.Misconfigured, message: `${status.plugin}:${messageOf(status)}` }
    : {
        type,
        status: 'False',
        reason: misconfigured.Succeedconfigured,
        message: 'Placement configurations check pass',
      };
}

/** The status of a placement with these decision groups. */
export function placementStatus(
  { spec, status }: Placement,
  result: ScheduleResult,
  groups: readonly DecisionGroupStatus[],
  now: number,
): PlacementStatus {
  const selected = groups.reduce((sum, { clusterCount = 0 }) => sum + clusterCount, 0);
  const isKept = result.status.code === 'Misconfigured' && selected > 0;
  // The last good decisions stay, and so does what was said of them.
  const isSaid = status?.conditions?.some(({ type }) => type === PlacementCondition.Satisfied);
  const conditions = [
    misconfiguredCondition(result.status),
    ...(isKept && isSaid ? [] : [satisfiedCondition(result, spec?.clusterSets ?? [], selected)]),
  ];
  // OCM does not write a 0 where nothing was, and must find nothing to write after us.
  const isCounted = selected > 0 || status?.numberOfSelectedClusters !== undefined;
  return {
    ...status,
    ...(isCounted && { numberOfSelectedClusters: selected }),
    decisionGroups: [...groups],
    conditions: [...setConditions(status?.conditions, conditions, now)],
  };
}
