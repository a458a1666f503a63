import { type ClusterRolloutStatus, classify, isFailure, type ProgressLimits } from './cluster-status.ts';
import type { ClusterGroup } from './decision-tracker.ts';
import { thresholdOf } from './limits.ts';

/** The clusters of a step of a rollout. */
export interface Step {
  /** Clusters that get the change now, or have it and are not done. */
  readonly rollout: readonly ClusterRolloutStatus[];
  readonly timedOut: readonly ClusterRolloutStatus[];
  readonly isMaxFailureBreached: boolean;
}

const byName = (a: string, b: string): number => (a < b ? -1 : 1);

const toApply = ({ groupName, groupIndex }: ClusterGroup, clusterName: string): ClusterRolloutStatus => ({
  clusterName,
  groupKey: { groupName, groupIndex },
  status: 'ToApply',
});

/** Lets at most `size` clusters be in the rollout at a time, by name, until more than `maxFailures` failed. */
export function stepPerCluster(
  groups: readonly ClusterGroup[],
  existing: readonly ClusterRolloutStatus[],
  { size, maxFailures, ...limits }: ProgressLimits & { readonly size: number; readonly maxFailures: number },
): Step {
  const rollout: ClusterRolloutStatus[] = [];
  const timedOut: ClusterRolloutStatus[] = [];
  const known = new Set<string>();
  let failures = 0;
  let isMaxFailureBreached = false;
  for (const each of existing.toSorted((a, b) => byName(a.clusterName, b.clusterName))) {
    known.add(each.clusterName);
    if (isMaxFailureBreached && each.status === 'ToApply') continue;
    const { list, cluster } = classify(each, limits);
    if (list === 'rollout') rollout.push(cluster);
    if (list === 'timeout') timedOut.push(cluster);
    if (isFailure(cluster)) {
      failures += 1;
      isMaxFailureBreached = failures > maxFailures;
    }
    if (rollout.length >= size) return { rollout, timedOut, isMaxFailureBreached };
  }
  if (isMaxFailureBreached) return { rollout, timedOut, isMaxFailureBreached };
  const fresh = groups
    .flatMap((group) => [...group.clusters].map((name) => toApply(group, name)))
    .filter(({ clusterName }) => !known.has(clusterName))
    .sort((a, b) => byName(a.clusterName, b.clusterName));
  rollout.push(...fresh.slice(0, Math.max(0, size - rollout.length)));
  return { rollout, timedOut, isMaxFailureBreached };
}

/** Lets one group after the other be in the rollout; more than `maxFailures` of a group that failed end it there. */
export function stepPerGroup(
  groups: readonly ClusterGroup[],
  existing: readonly ClusterRolloutStatus[],
  { maxFailures, ...limits }: ProgressLimits & { readonly maxFailures: number | string | undefined },
): Step {
  const rollout: ClusterRolloutStatus[] = [];
  const timedOut: ClusterRolloutStatus[] = [];
  const known = new Map<string, ClusterRolloutStatus>();
  for (const each of existing) {
    if (each.status === 'ToApply') continue;
    const { list, cluster } = classify(each, limits);
    known.set(cluster.clusterName, cluster);
    if (list === 'rollout') rollout.push(cluster);
    if (list === 'timeout') timedOut.push(cluster);
  }
  let failures = 0;
  for (const group of groups) {
    const mostOfGroup = thresholdOf(maxFailures, group.clusters.size, 0);
    let failuresOfGroup = 0;
    for (const name of [...group.clusters].sort(byName)) {
      const cluster = known.get(name);
      if (!cluster) rollout.push(toApply(group, name));
      else if (isFailure(cluster)) failuresOfGroup += 1;
    }
    failures += failuresOfGroup;
    const isMaxFailureBreached = failuresOfGroup > mostOfGroup;
    if (isMaxFailureBreached || rollout.length - failures > 0) return { rollout, timedOut, isMaxFailureBreached };
  }
  return { rollout, timedOut, isMaxFailureBreached: false };
}
