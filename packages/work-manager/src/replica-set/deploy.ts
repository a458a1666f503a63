import {
  Annotation,
  type LocalPlacementRef,
  type ManifestWorkReplicaSet,
  type Placement,
  type PlacementDecision,
} from '@flotilla/api-types';
import { isDeleting } from '@flotilla/kube';
import type { EpochMs, WallTime } from '@flotilla/kube/clock';
import { placementOf } from './generated-work.ts';
import type { GeneratedWorks } from './generated-works.ts';
import type { PlacementOutcome, ReplicaSetOutcome } from './outcome.ts';
import { type ClusterFailure, planPlacementRollout } from './placement-rollout.policy.ts';
import type { Template } from './template.ts';
import { deleteWorks, writeWorks } from './work-writer.ts';

/** What a deployment works with. */
export interface DeployInput {
  readonly works: GeneratedWorks;
  readonly replicaSet: ManifestWorkReplicaSet;
  /** `namespace/name` of the replica set. */
  readonly key: string;
  readonly template: Template;
  placementOf(ref: LocalPlacementRef): Placement | undefined;
  decisionsOf(ref: LocalPlacementRef): readonly PlacementDecision[];
  unreachableSince(cluster: string): WallTime | undefined;
  readonly isPaused: boolean;
  readonly now: EpochMs;
}

/** What came of a deployment, what to try again, and after which time to look again although nothing happens. */
export interface Deployment {
  readonly outcome: ReplicaSetOutcome;
  readonly errors: readonly unknown[];
  readonly recheckAfterMs?: number;
}

/** Whether a user holds the rollout. */
export const isPaused = ({ metadata }: ManifestWorkReplicaSet): boolean =>
  metadata?.annotations?.[Annotation.RolloutPaused] === 'true';

/** Does the next step for each placement of a replica set. What is wrong with one does not keep the others from theirs. */
export async function deploy(input: DeployInput): Promise<Deployment> {
  const { works, replicaSet, key, template } = input;
  const all = works.of(key);
  const refs = replicaSet.spec?.placementRefs ?? [];
  const names = new Set(refs.map(({ name }) => name));
  const byPlacement = Map.groupBy(all, (work) => placementOf(work) ?? '');
  const errors: unknown[] = [];
  const placements: PlacementOutcome[] = [];
  const missing: string[] = [];
  const invalid: ReplicaSetOutcome['invalid'][number][] = [];
  const unwritten: ClusterFailure[] = [];

  const foreign = all.filter((work) => !names.has(placementOf(work) ?? '') && !isDeleting(work));
  await deleteWorks(works, foreign).catch((error: unknown) => errors.push(error));
  for (const ref of refs) {
    const placement = input.placementOf(ref);
    if (!placement) {
      missing.push(ref.name);
      continue;
    }
    const ownWorks = byPlacement.get(ref.name) ?? [];
    const rollout = attempt(() =>
      planPlacementRollout({ ...input, ref, placement, decisions: input.decisionsOf(ref), works: ownWorks }),
    );
    if ('error' in rollout) {
      invalid.push({ placement: ref.name, why: rollout.error });
      continue;
    }
    const result = await writeWorks(works, replicaSet, ref.name, template, rollout);
    placements.push({ ...rollout, name: ref.name, written: result.written });
    unwritten.push(...result.unwritten);
    errors.push(...result.errors);
  }
  const waits = placements.flatMap(({ recheckAfterMs = [] }) => recheckAfterMs);
  return {
    outcome: { placements, missing, invalid, unwritten },
    errors,
    ...(waits.length > 0 && { recheckAfterMs: Math.min(...waits) }),
  };
}

/** A strategy or a label that cannot be understood is the user's to change: trying again does not help. */
function attempt<T extends object>(decide: () => T): T | { readonly error: string } {
  try {
    return decide();
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
