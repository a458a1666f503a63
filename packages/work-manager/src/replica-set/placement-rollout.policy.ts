import type { LocalPlacementRef, Placement, PlacementDecision } from '@flotilla/api-types';
import { isDeleting } from '@flotilla/kube';
import type { EpochMs, WallTime } from '@flotilla/kube/clock';
import {
  areGroupsComplete,
  type ClusterGroup,
  type ClusterRolloutStatus,
  clusterGroups,
  clustersIn,
  type GroupKey,
  type MissingDecisions,
  missingDecisions,
  planRollout,
  type RolloutPlan,
  soakMsOf,
} from '@flotilla/placement/rollout';
import type { ClusterRollout } from './cluster-rollout.policy.ts';
import { clusterOf, type GeneratedWork } from './generated-work.ts';
import { lostRollouts, selectedRollout, withLost } from './lost-clusters.policy.ts';
import type { Template } from './template.ts';

/** What the next step for one placement is decided from. */
export interface PlacementRolloutInput {
  readonly ref: LocalPlacementRef;
  readonly placement: Placement;
  readonly decisions: readonly PlacementDecision[];
  readonly template: Template;
  /** All works of the placement, whatever template they carry. */
  readonly works: readonly GeneratedWork[];
  /** Since when a cluster does not report to the hub; undefined if it does. */
  unreachableSince(cluster: string): WallTime | undefined;
  /** No cluster gets the template. */
  readonly isPaused: boolean;
  readonly now: EpochMs;
}

/** A cluster that did not succeed, and why. */
export interface ClusterFailure {
  readonly cluster: string;
  readonly why: string;
}

/** The next step for one placement. */
export interface PlacementRollout {
  readonly placement: Placement;
  readonly selected: ReadonlySet<string>;
  /** Clusters that have no work. */
  readonly create: readonly string[];
  /** Works that get the template. */
  readonly update: readonly GeneratedWork[];
  readonly delete: readonly GeneratedWork[];
  /** Set if works stay on clusters that no decision names, because decisions are missing. */
  readonly held?: MissingDecisions & { readonly works: number };
  /** Works on selected clusters that carry the template. */
  readonly current: readonly GeneratedWork[];
  readonly succeeded: number;
  readonly failed: readonly ClusterFailure[];
  readonly unreachable: readonly string[];
  readonly isMaxFailureBreached: boolean;
  readonly recheckAfterMs?: number;
  /** What was decided from: the groups of the placement, and how far the template is on clusters that have it. */
  readonly groups: readonly ClusterGroup[];
  readonly rollouts: ReadonlyMap<string, ClusterRollout>;
  readonly plan: RolloutPlan;
}

const unknownGroup: GroupKey = { groupName: '', groupIndex: 0 };

/** One work for each cluster, the oldest. More were made by writers that did not know of each other. */
function firstOfEachCluster(works: readonly GeneratedWork[]): Map<string, GeneratedWork> {
  const age = ({ metadata }: GeneratedWork): string => `${metadata?.creationTimestamp} ${metadata?.name}`;
  const first = new Map<string, GeneratedWork>();
  for (const work of works) {
    const other = first.get(clusterOf(work));
    if (!other || age(work) < age(other)) first.set(clusterOf(work), work);
  }
  return first;
}

/** Decides the next step for one placement. Throws if its decisions or its strategy cannot be understood. */
export function planPlacementRollout(input: PlacementRolloutInput): PlacementRollout {
  const { ref, placement, decisions, template, isPaused, now } = input;
  const strategy = ref.rolloutStrategy ?? { type: 'All' };
  const reachability = { ...input, soakMs: soakMsOf(strategy) };
  const groups = clusterGroups(decisions);
  const selected = clustersIn(groups);
  const byCluster = firstOfEachCluster(input.works);
  const current = [...byCluster.values()].filter(
    (work) => work.specHash === template.hash && selected.has(clusterOf(work)),
  );

  const rollouts = new Map([
    ...lostRollouts(reachability, byCluster, selected),
    ...current.map((work): [string, ClusterRollout] => [clusterOf(work), selectedRollout(reachability, work)]),
  ]);
  const planned = withLost(groups, rollouts);
  const groupOf = new Map(
    planned.flatMap(({ clusters, ...key }) => [...clusters].map((cluster): [string, GroupKey] => [cluster, key])),
  );
  const existing = [...rollouts].map(
    ([clusterName, { status, lastTransitionTime }]): ClusterRolloutStatus => ({
      clusterName,
      groupKey: groupOf.get(clusterName) ?? unknownGroup,
      status,
      ...(lastTransitionTime !== undefined && { lastTransitionTime }),
    }),
  );
  const plan = planRollout({
    strategy,
    groups: planned,
    areGroupsComplete: areGroupsComplete(placement, groups),
    existing,
    now,
  });

  const timedOut = plan.timedOut.map(({ clusterName }) => ({
    cluster: clusterName,
    why: `not done before the progress deadline: ${rollouts.get(clusterName)?.why ?? 'it still progresses'}`,
  }));
  const overdue = new Set(plan.timedOut.map(({ clusterName }) => clusterName));
  const failed = [...rollouts].flatMap(([cluster, { status, why = '' }]) =>
    status === 'Failed' && !overdue.has(cluster) ? [{ cluster, why }] : [],
  );
  return {
    placement,
    selected,
    ...worksToWrite(isPaused ? [] : plan.rollout, byCluster, template),
    ...worksToDelete(input, byCluster, selected),
    current,
    succeeded: [...rollouts.values()].filter(({ status }) => status === 'Succeeded').length,
    failed: [...failed, ...timedOut].sort((a, b) => (a.cluster < b.cluster ? -1 : 1)),
    unreachable: [...rollouts].flatMap(([cluster, { status }]) => (status === 'Skip' ? [cluster] : [])).sort(),
    isMaxFailureBreached: plan.isMaxFailureBreached,
    ...(plan.recheckAfterMs !== undefined && { recheckAfterMs: plan.recheckAfterMs }),
    groups,
    rollouts,
    plan,
  };
}

/** The works that are not wanted, without those that must stay until the decisions are complete. */
function worksToDelete(
  { placement, decisions, works }: PlacementRolloutInput,
  byCluster: ReadonlyMap<string, GeneratedWork>,
  selected: ReadonlySet<string>,
): Pick<PlacementRollout, 'delete' | 'held'> {
  const duplicates = works.filter((work) => !isDeleting(work) && byCluster.get(clusterOf(work)) !== work);
  const left = [...byCluster.values()].filter((work) => !isDeleting(work) && !selected.has(clusterOf(work)));
  const missing = left.length > 0 ? missingDecisions(placement, decisions) : undefined;
  if (missing) return { delete: duplicates, held: { ...missing, works: left.length } };
  return { delete: [...duplicates, ...left] };
}

/** The clusters that get a work, and the works that get the template. */
function worksToWrite(
  rollout: readonly ClusterRolloutStatus[],
  byCluster: ReadonlyMap<string, GeneratedWork>,
  template: Template,
): Pick<PlacementRollout, 'create' | 'update'> {
  const create: string[] = [];
  const update: GeneratedWork[] = [];
  for (const { clusterName, status } of rollout) {
    if (status !== 'ToApply') continue;
    const work = byCluster.get(clusterName);
    if (!work) create.push(clusterName);
    // A work that is being deleted cannot be used; the cluster gets another one when it is gone.
    else if (work.specHash !== template.hash && !isDeleting(work)) update.push(work);
  }
  return { create, update };
}
