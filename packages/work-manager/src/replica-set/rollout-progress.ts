import {
  Label,
  type ManifestWork,
  type ManifestWorkReplicaSet,
  type Placement,
  type PlacementDecision,
} from '@flotilla/api-types';
import { isPaused } from './deploy.ts';
import { generatedWorkOf, placementOf } from './generated-work.ts';
import { type ClusterProblem, planPlacementRollout } from './placement-rollout.policy.ts';
import { templateOf } from './template.ts';

/** What is on the hub of a replica set, as lists from the API server. */
export interface RolloutFacts {
  readonly replicaSet: ManifestWorkReplicaSet;
  /** Of the namespace of the replica set. */
  readonly placements: readonly Placement[];
  readonly decisions: readonly PlacementDecision[];
  /** Of the replica set. */
  readonly works: readonly ManifestWork[];
  readonly now: number;
}

/** How far a rollout is. */
export interface RolloutProgress {
  /** Clusters that are selected. */
  readonly clusters: number;
  /** Clusters that have the newest template. */
  readonly updated: number;
  readonly succeeded: number;
  readonly failed: readonly ClusterProblem[];
  /** Placements whose rollout ended because too many clusters failed. */
  readonly stopped: readonly string[];
  /** Placements that do not exist. */
  readonly missing: readonly string[];
  readonly isPaused: boolean;
}

/** How far the rollout of the newest template is, whatever the status of the replica set says: that may be of an earlier one. */
export function rolloutProgress({ replicaSet, placements, decisions, works, now }: RolloutFacts): RolloutProgress {
  const template = templateOf(replicaSet);
  const missing: string[] = [];
  const rollouts = (replicaSet.spec?.placementRefs ?? []).flatMap((ref) => {
    const placement = placements.find(({ metadata }) => metadata?.name === ref.name);
    if (!placement) missing.push(ref.name);
    if (!placement) return [];
    const rollout = planPlacementRollout({
      ref,
      placement,
      decisions: decisions.filter(({ metadata }) => metadata?.labels?.[Label.Placement] === ref.name),
      template,
      works: works.filter((work) => placementOf(work) === ref.name).map((work) => generatedWorkOf(work)),
      isUnreachable: () => false,
      isPaused: false,
      now,
    });
    return [{ ...rollout, name: ref.name }];
  });
  return {
    clusters: rollouts.reduce((sum, { selected }) => sum + selected.size, 0),
    updated: rollouts.reduce((sum, { current }) => sum + current.length, 0),
    succeeded: rollouts.reduce((sum, { succeeded }) => sum + succeeded, 0),
    failed: rollouts.flatMap(({ failed }) => failed),
    stopped: rollouts.flatMap(({ isMaxFailureBreached, name }) => (isMaxFailureBreached ? [name] : [])),
    missing,
    isPaused: isPaused(replicaSet),
  };
}
