import {
  Label,
  type LocalPlacementRef,
  type ManifestWork,
  type ManifestWorkReplicaSet,
  type Placement,
  type PlacementDecision,
} from '@flotilla/api-types';
import type { EpochMs, WallTime } from '@flotilla/kube/clock';
import { isPaused } from './deploy.ts';
import { generatedWorkOf, placementOf } from './generated-work.ts';
import { type ClusterFailure, type PlacementRollout, planPlacementRollout } from './placement-rollout.policy.ts';
import { templateOf } from './template.ts';

/** What is on the hub of a replica set, as lists from the API server. */
export interface RolloutFacts {
  readonly replicaSet: ManifestWorkReplicaSet;
  /** Of the namespace of the replica set. */
  readonly placements: readonly Placement[];
  readonly decisions: readonly PlacementDecision[];
  /** Of the replica set. */
  readonly works: readonly ManifestWork[];
  /** Since when a cluster does not report to the hub, if that is known. */
  unreachableSince?(cluster: string): WallTime | undefined;
  readonly now: EpochMs;
}

/** How far a rollout is. */
export interface RolloutProgress {
  /** Clusters that are selected. */
  readonly clusters: number;
  /** Clusters that have the newest template. */
  readonly updated: number;
  readonly succeeded: number;
  readonly failed: readonly ClusterFailure[];
  /** Placements whose rollout ended because too many clusters failed. */
  readonly stopped: readonly string[];
  /** Placements that do not exist. */
  readonly missing: readonly string[];
  /** Placements whose strategy or decisions cannot be understood. */
  readonly invalid: readonly { readonly placement: string; readonly why: string }[];
  readonly isPaused: boolean;
}

/** What the controller would do next for a placement if the rollout was not paused. Throws if that cannot be decided. */
export function nextStep(facts: RolloutFacts, ref: LocalPlacementRef, placement: Placement): PlacementRollout {
  const { replicaSet, decisions, works, now, unreachableSince = () => undefined } = facts;
  return planPlacementRollout({
    ref,
    placement,
    decisions: decisions.filter(({ metadata }) => metadata?.labels?.[Label.Placement] === ref.name),
    template: templateOf(replicaSet),
    works: works.filter((work) => placementOf(work) === ref.name).map((work) => generatedWorkOf(work)),
    unreachableSince,
    isPaused: false,
    now,
  });
}

/** How far the rollout of the newest template is, whatever the status of the replica set says: that may be of an earlier one. */
export function rolloutProgress(facts: RolloutFacts): RolloutProgress {
  const { replicaSet, placements } = facts;
  const missing: string[] = [];
  const invalid: RolloutProgress['invalid'][number][] = [];
  const rollouts = (replicaSet.spec?.placementRefs ?? []).flatMap((ref) => {
    const placement = placements.find(({ metadata }) => metadata?.name === ref.name);
    if (!placement) missing.push(ref.name);
    if (!placement) return [];
    try {
      return [{ ...nextStep(facts, ref, placement), name: ref.name }];
    } catch (error) {
      invalid.push({ placement: ref.name, why: error instanceof Error ? error.message : String(error) });
      return [];
    }
  });
  return {
    clusters: rollouts.reduce((sum, { selected }) => sum + selected.size, 0),
    updated: rollouts.reduce((sum, { current }) => sum + current.length, 0),
    succeeded: rollouts.reduce((sum, { succeeded }) => sum + succeeded, 0),
    failed: rollouts.flatMap(({ failed }) => failed),
    stopped: rollouts.flatMap(({ isMaxFailureBreached, name }) => (isMaxFailureBreached ? [name] : [])),
    missing,
    invalid,
    isPaused: isPaused(replicaSet),
  };
}
