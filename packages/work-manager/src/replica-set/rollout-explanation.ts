import type { LocalPlacementRef } from '@flotilla/api-types';
import type { ClusterRolloutStatus } from '@flotilla/placement/rollout';
import { isPaused } from './deploy.ts';
import { clusterOf, ownerLabelOf } from './generated-work.ts';
import { invalidOwner } from './labels.validation.ts';
import type { PlacementRollout } from './placement-rollout.policy.ts';
import { nextStep, type RolloutFacts } from './rollout-progress.ts';

/**
 * Where a cluster is in a rollout. `Soaking` has succeeded and must stay so for a while, `Next` gets the template now, `Waiting` gets
 * it when others are done, and `Removing` is not selected any more.
 */
export type RolloutStep =
  | 'Succeeded'
  | 'Soaking'
  | 'Progressing'
  | 'Failed'
  | 'TimedOut'
  | 'Unreachable'
  | 'Next'
  | 'Waiting'
  | 'Removing';

/** Where one cluster is, and why it is not further. */
export interface ExplainedCluster {
  readonly cluster: string;
  /** Absent if it is not selected. */
  readonly groupIndex?: number;
  /** Absent if its group has no name. */
  readonly groupName?: string;
  readonly step: RolloutStep;
  readonly why?: string;
  /** Milliseconds since the epoch at which the soak time or the progress deadline ends. */
  readonly until?: number;
}

/** How the rollout over the clusters of one placement goes. */
export interface ExplainedPlacement {
  readonly placement: string;
  readonly strategy: string;
  /** Why no further cluster gets the template, although some have not got it. */
  readonly held?: string;
  /** Those of the first group first. */
  readonly clusters: readonly ExplainedCluster[];
}

const mostNamed = 3;

const named = (clusters: readonly string[]): string =>
  clusters.length > mostNamed
    ? `${clusters.slice(0, mostNamed).join(', ')} and ${clusters.length - mostNamed} more`
    : clusters.join(', ');

/** Where a cluster is that has the template. */
function stepWith(
  { rollouts, plan }: PlacementRollout,
  cluster: string,
  planned: ClusterRolloutStatus | undefined,
): Pick<ExplainedCluster, 'step' | 'why' | 'until'> {
  const { status, why } = rollouts.get(cluster) ?? { status: 'ToApply' };
  const until = planned?.recheckTime;
  const reason = { ...(why && { why }), ...(until !== undefined && { until }) };
  if (plan.timedOut.some(({ clusterName }) => clusterName === cluster)) {
    return { step: 'TimedOut', why: why ?? 'it still progresses' };
  }
  switch (status) {
    case 'Succeeded':
      return until === undefined ? { step: 'Succeeded' } : { step: 'Soaking', until };
    case 'Failed':
      return { step: 'Failed', ...reason };
    case 'Skip':
      return { step: 'Unreachable', why: 'it does not report to the hub; others need not wait for it' };
    default:
      return { step: 'Progressing', ...reason };
  }
}

/** Why clusters that have not got the template do not get it. */
function heldBecause({ plan, rollouts, failed }: PlacementRollout, paused: boolean): string | undefined {
  if (paused) return 'the rollout is paused';
  if (plan.isMaxFailureBreached) {
    return `more clusters failed than maxFailures allows: ${named(failed.map(({ cluster }) => cluster))}`;
  }
  const before = plan.rollout.filter(({ clusterName }) => rollouts.has(clusterName));
  const next = plan.rollout.filter(({ clusterName }) => !rollouts.has(clusterName));
  const awaited = (before.length > 0 ? before : next).map(({ clusterName }) => clusterName);
  return awaited.length > 0 ? `waits for ${named(awaited)}` : undefined;
}

function explainedClusters(rollout: PlacementRollout, held: string | undefined, paused: boolean): ExplainedCluster[] {
  const { groups, rollouts, plan } = rollout;
  const planned = new Map(plan.rollout.map((each) => [each.clusterName, each]));
  const removed = rollout.delete.map(clusterOf).filter((cluster) => !rollout.selected.has(cluster));
  return [
    ...groups.flatMap(({ groupIndex, groupName, clusters }) =>
      [...clusters].sort().map((cluster): ExplainedCluster => {
        const where = { cluster, groupIndex, ...(groupName && { groupName }) };
        if (rollouts.has(cluster)) return { ...where, ...stepWith(rollout, cluster, planned.get(cluster)) };
        if (planned.has(cluster) && !paused) return { ...where, step: 'Next' };
        return { ...where, step: 'Waiting', ...(held && { why: held }) };
      }),
    ),
    ...removed.map(
      (cluster): ExplainedCluster => ({
        cluster,
        step: 'Removing',
        why: rollouts.get(cluster)?.why ?? 'the placement does not select it any more',
      }),
    ),
  ];
}

function explainedPlacement(facts: RolloutFacts, ref: LocalPlacementRef): ExplainedPlacement {
  const { name, rolloutStrategy } = ref;
  const about = { placement: name, strategy: rolloutStrategy?.type ?? 'All' };
  const invalid = invalidOwner(ownerLabelOf(facts.replicaSet));
  if (invalid) return { ...about, held: invalid, clusters: [] };
  const placement = facts.placements.find(({ metadata }) => metadata?.name === name);
  if (!placement) return { ...about, held: 'the placement does not exist', clusters: [] };
  try {
    const rollout = nextStep(facts, ref, placement);
    const paused = isPaused(facts.replicaSet);
    const held = heldBecause(rollout, paused);
    const clusters = explainedClusters(rollout, held, paused);
    const isHeld = clusters.some(({ step }) => step === 'Waiting');
    return { ...about, ...(isHeld && held && { held }), clusters };
  } catch (error) {
    return { ...about, held: error instanceof Error ? error.message : String(error), clusters: [] };
  }
}

/** Explains where each cluster is in the rollout of the newest template, and what the rollout waits for. */
export const explainRollout = (facts: RolloutFacts): readonly ExplainedPlacement[] =>
  (facts.replicaSet.spec?.placementRefs ?? []).map((ref) => explainedPlacement(facts, ref));
