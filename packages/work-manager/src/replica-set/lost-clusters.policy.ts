import { type ManagedCluster, ManagedClusterCondition } from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';
import { type WallTime, wallTime } from '@flotilla/kube/clock';
import { formatTime, parseTime } from '@flotilla/kube/meta';
import { type ClusterGroup, clustersIn } from '@flotilla/placement/rollout';
import { type ClusterRollout, clusterRolloutOf, templateRolloutOf } from './cluster-rollout.policy.ts';
import { clusterOf, type GeneratedWork } from './generated-work.ts';
import type { Template } from './template.ts';

/** Whether clusters report to the hub. */
export interface Reachability {
  readonly template: Template;
  /** How long a cluster must stay successful. */
  readonly soakMs: number;
  /** Since when a cluster does not report to the hub; undefined if it does. */
  unreachableSince(cluster: string): WallTime | undefined;
}

/** Since when a cluster does not report to the hub; undefined if it does. */
export function unreachableSince(cluster: ManagedCluster | undefined): WallTime | undefined {
  const available = findCondition(cluster?.status?.conditions, ManagedClusterCondition.Available);
  return available?.status === 'Unknown' ? (parseTime(available.lastTransitionTime) ?? wallTime(0)) : undefined;
}

const isAwaited = ({ status }: ClusterRollout): boolean => status === 'ToApply' || status === 'Progressing';

/** Whether a cluster that does not report since then had not succeeded for as long as it must. */
const isUndecided = (rollout: ClusterRollout, since: WallTime, soakMs: number): boolean =>
  isAwaited(rollout) || (rollout.status === 'Succeeded' && since < (rollout.lastTransitionTime ?? 0) + soakMs);

/** Whether a cluster stopped reporting after it was given the template: that may be what cut it off. */
const isLost = ({ specTime = wallTime(0) }: GeneratedWork, since: WallTime): boolean => since > specTime;

const lost = (since: WallTime): ClusterRollout => ({
  status: 'Failed',
  lastTransitionTime: since,
  why: `it was given the template, and has not reported to the hub since ${formatTime(since)}`,
});

/**
 * How far the template is on a selected cluster that has it. One that could not be reached before gets it when it is back, and no
 * other waits for that; one that was lost afterwards has failed.
 */
export function selectedRollout(
  { template, soakMs, unreachableSince }: Reachability,
  work: GeneratedWork,
): ClusterRollout {
  const rollout = clusterRolloutOf(work, template);
  const since = unreachableSince(clusterOf(work));
  if (since === undefined || !isUndecided(rollout, since, soakMs)) return rollout;
  return isLost(work, since) ? lost(since) : { ...rollout, status: 'Skip' };
}

/**
 * Clusters that were lost with the template and that the placement does not select any more: most placements drop a cluster that
 * cannot be reached. They count as failed as long as their works exist, which only their agents can delete.
 */
export function lostRollouts(
  { template, soakMs, unreachableSince }: Reachability,
  byCluster: ReadonlyMap<string, GeneratedWork>,
  selected: ReadonlySet<string>,
): [string, ClusterRollout][] {
  return [...byCluster].flatMap(([cluster, work]): [string, ClusterRollout][] => {
    if (selected.has(cluster) || work.specHash !== template.hash) return [];
    const since = unreachableSince(cluster);
    if (since === undefined || !isLost(work, since) || !isUndecided(templateRolloutOf(work, template), since, soakMs))
      return [];
    return [[cluster, lost(since)]];
  });
}

/** The groups with the clusters that were lost from them: the last group that has the template, as nobody recorded which it was. */
export function withLost(
  groups: readonly ClusterGroup[],
  rollouts: ReadonlyMap<string, ClusterRollout>,
): readonly ClusterGroup[] {
  const selected = clustersIn(groups);
  const dropped = [...rollouts.keys()].filter((cluster) => !selected.has(cluster));
  if (dropped.length === 0) return groups;
  const last = groups.findLastIndex(({ clusters }) => [...clusters].some((cluster) => rollouts.has(cluster)));
  return groups.map((group, index) =>
    index === Math.max(0, last) ? { ...group, clusters: new Set([...group.clusters, ...dropped]) } : group,
  );
}
