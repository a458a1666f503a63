import type { ClusterFailure, PlacementRollout } from './placement-rollout.policy.ts';

/** What came of one placement. */
export interface PlacementOutcome extends Omit<PlacementRollout, 'groups' | 'rollouts' | 'plan'> {
  readonly name: string;
  /** Clusters whose work was created or updated just now. */
  readonly written: ReadonlySet<string>;
}

/** What came of a replica set. */
export interface ReplicaSetOutcome {
  readonly placements: readonly PlacementOutcome[];
  /** Placements that do not exist. */
  readonly missing: readonly string[];
  /** Placements whose strategy or decisions cannot be understood. */
  readonly invalid: readonly { readonly placement: string; readonly why: string }[];
  /** Clusters whose work could not be written. */
  readonly unwritten: readonly ClusterFailure[];
}
