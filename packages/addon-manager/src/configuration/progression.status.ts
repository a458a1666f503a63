import {
  type ClusterManagementAddOn,
  type ClusterManagementAddOnStatus,
  type InstallProgression,
  ManagedClusterAddOnCondition,
  ManagedClusterAddOnReason,
} from '@flotilla/api-types';
import type { ConditionInput } from '@flotilla/kube';
import { setCondition } from '@flotilla/kube/conditions';
import { semanticEqual } from '@flotilla/kube/meta';
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

/** A progression with what is known of its rollout. */
function nextProgression(progression: InstallProgression, node: PlacementNode, now: number): InstallProgression {
  const condition = progressionCondition(node);
  const conditions = [...setCondition(progression.conditions, condition, now)];
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
  now: number,
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
    return isCurrent ? nextProgression(progression, node, now) : progression;
  });
  return semanticEqual(installProgressions, progressions) ? undefined : { installProgressions };
}
