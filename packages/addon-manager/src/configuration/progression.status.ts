import {
  type ClusterManagementAddOn,
  type ClusterManagementAddOnStatus,
  type InstallProgression,
  ManagedClusterAddOnCondition,
  ManagedClusterAddOnReason,
} from '@flotilla/api-types';
import { type ConditionInput, findCondition, isConditionTrue } from '@flotilla/kube';
import type { EpochMs } from '@flotilla/kube/clock';
import { setConditions } from '@flotilla/kube/conditions';
import { semanticEqual } from '@flotilla/kube/meta';
import { describeMissing, type MissingDecisions } from '@flotilla/placement/rollout';
import { placementKeyOf } from '../caches.ts';
import { desiredConfigsOf } from '../configs/config.ts';
import { inRollout, type PlacementNode } from './graph.policy.ts';

// The condition of a progression has the type and the reasons of that of an add-on.
const type = ManagedClusterAddOnCondition.Progressing;
const reasons = ManagedClusterAddOnReason.Progressing;

/** How many clusters of a placement have their configurations. */
function countsOf({ addOns, configured, selected, plan, ...node }: PlacementNode) {
  const inStep = new Set(inRollout({ addOns, configured, selected, plan, ...node }));
  const others = [...addOns.values()].filter((each) => !inStep.has(each));
  return {
    selected: selected.size,
    configured: configured.size,
    progressing: inStep.size,
    done: others.filter(({ rollout }) => rollout.status === 'Succeeded').length,
    failed: others.filter(({ rollout }) => rollout.status === 'Failed').length,
    timedOut: plan.timedOut.length,
  };
}

/** How far a placement is, in OCM's words. Why a rollout cannot go on comes after them. */
function progressionCondition(node: PlacementNode): ConditionInput {
  const { selected, configured, progressing, done, failed, timedOut } = countsOf(node);
  const end = `${failed} failed ${timedOut} timeout.`;
  if (node.problem === undefined && done === configured && done > 0) {
    const message = `selected clusters ${selected}. configured addons ${done}/${configured} completed with no errors, ${end}`;
    return { type, status: 'False', reason: reasons.Completed, message };
  }
  const message = `selected clusters ${selected}. configured addons ${progressing + done}/${configured} progressing..., ${end}`;
  const why = node.problem === undefined ? '' : ` The rollout cannot go on: ${node.problem}`;
  return { type, status: 'True', reason: reasons.Progressing, message: `${message}${why}` };
}

type OwnCondition = Pick<ConditionInput, 'type' | 'reason' | 'message'>;

/** A condition that OCM does not have: absent if there is nothing to report and never was. */
function ownCondition(
  { conditions }: InstallProgression,
  { type: ownType, reason, message }: OwnCondition,
  reasonOfFalse: string,
): ConditionInput[] {
  if (message !== '') return [{ type: ownType, status: 'True', reason, message }];
  const hasCondition = findCondition(conditions, ownType) !== undefined;
  return hasCondition ? [{ type: ownType, status: 'False', reason: reasonOfFalse, message: '' }] : [];
}

/**
 * Which add-ons stay because decisions are missing. A hold that is reported already stays reported, whether or not it `isDue` in this
 * process: another leader may have reported it.
 */
function heldConditions(
  progression: InstallProgression,
  held: MissingDecisions | undefined,
  isDue: boolean,
): ConditionInput[] {
  const { DecisionsMissing: reason, NoRemovalHeld } = ManagedClusterAddOnReason.RemovalHeld;
  const { RemovalHeld } = ManagedClusterAddOnCondition;
  const isReported = isDue || isConditionTrue(progression.conditions, RemovalHeld);
  const message =
    held && isReported
      ? `the Placement: ${describeMissing(held)}. Add-ons are kept until decisions and status agree; delete the Placement to remove them`
      : '';
  return ownCondition(progression, { type: RemovalHeld, reason, message }, NoRemovalHeld);
}

/** A status must not grow with the fleet. */
const maxNamed = 10;

/** Which clusters keep all others from their configurations. */
function stalledConditions(progression: InstallProgression, { plan, addOns }: PlacementNode): ConditionInput[] {
  const { MaxFailuresExceeded: reason, NotStalled } = ManagedClusterAddOnReason.Stalled;
  const failed = [...addOns].flatMap(([cluster, { rollout }]) => (rollout.status === 'Failed' ? [cluster] : []));
  const overdue = plan.timedOut.map(({ clusterName }) => clusterName);
  const names = [...new Set([...failed, ...overdue])].sort();
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  const message = plan.isMaxFailureBreached
    ? `no other cluster gets its configuration: more clusters failed than maxFailures allows: ${names.slice(0, maxNamed).join(', ')}${more}`
    : '';
  return ownCondition(progression, { type: ManagedClusterAddOnCondition.Stalled, reason, message }, NotStalled);
}

/** When a progression is written, and whether what is held begins to be reported. */
interface WriteTime {
  readonly now: EpochMs;
  readonly reportsHolds: boolean;
}

/** A progression with what is known of its rollout. */
function nextProgression(
  progression: InstallProgression,
  node: PlacementNode,
  { now, reportsHolds }: WriteTime,
): InstallProgression {
  const condition = progressionCondition(node);
  const held = heldConditions(progression, node.held, reportsHolds);
  const conditions = [
    ...setConditions(progression.conditions, [condition, ...stalledConditions(progression, node), ...held], now),
  ];
  if (condition.status === 'True') return { ...progression, conditions };
  const configReferences = progression.configReferences?.map((reference) => ({
    ...reference,
    ...(reference.desiredConfig && {
      lastAppliedConfig: reference.desiredConfig,
      lastKnownGoodConfig: reference.desiredConfig,
    }),
  }));
  return { ...progression, ...(configReferences && { configReferences }), conditions };
}

/** The progressions of an add-on; undefined if they say the same already. One whose configurations changed meanwhile is left alone. */
export function progressionsStatus(
  { status }: ClusterManagementAddOn,
  nodes: readonly PlacementNode[],
  time: WriteTime,
): Partial<ClusterManagementAddOnStatus> | undefined {
  const byPlacement = new Map(nodes.map((node) => [placementKeyOf(node.progression), node]));
  const progressions = status?.installProgressions ?? [];
  const installProgressions = progressions.map((progression) => {
    const node = byPlacement.get(placementKeyOf(progression));
    if (!node) return progression;
    const isCurrent = semanticEqual(
      desiredConfigsOf(progression.configReferences),
      desiredConfigsOf(node.progression.configReferences),
    );
    return isCurrent ? nextProgression(progression, node, time) : progression;
  });
  return semanticEqual(installProgressions, progressions) ? undefined : { installProgressions };
}
