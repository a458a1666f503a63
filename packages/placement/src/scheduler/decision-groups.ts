import type { PlacementSpec } from '@flotilla/api-types';
import type { ClusterView } from './cluster-view.ts';
import { MisconfiguredError } from './schedule-status.ts';
import { compileSelector } from './selectors.ts';

type GroupStrategy = NonNullable<NonNullable<PlacementSpec['decisionStrategy']>['groupStrategy']>;
type GroupSelector = NonNullable<GroupStrategy['decisionGroups']>[number]['groupClusterSelector'];

/** How selected clusters are cut into groups. */
export interface GroupPlan<T = ClusterView> {
  /** The largest size of a group among `count` selected clusters. */
  sizeFor(count: number): number;
  readonly named: readonly { readonly name: string; matches(cluster: T): boolean }[];
}

/** A group of selected clusters, sorted by name. */
export interface DecisionGroup<T> {
  readonly name: string;
  readonly clusters: readonly T[];
}

function sizeFunction(perGroup: number | string): (count: number) => number {
  const percent = /^(\d+)%$/.exec(String(perGroup))?.[1];
  if (typeof perGroup === 'string' && percent === undefined) {
    throw new MisconfiguredError('', `${perGroup} invalid type: string is not a percentage`);
  }
  return (count) => {
    const size = percent === undefined ? Number(perGroup) : Math.ceil((Number(percent) / 100) * count);
    return size <= 0 || size > count ? count : size;
  };
}

function compileGroup({ labelSelector, claimSelector }: GroupSelector): (cluster: ClusterView) => boolean {
  try {
    const byLabels = compileSelector(labelSelector ?? {});
    const byClaims = compileSelector(claimSelector ?? {});
    return ({ labels, claims }) => byLabels(labels) && byClaims(claims);
  } catch (error) {
    throw new MisconfiguredError('', error instanceof Error ? error.message : String(error));
  }
}

/** Compiles a group strategy. Throws MisconfiguredError. */
export function groupPlanOf(strategy: GroupStrategy = {}): GroupPlan {
  return {
    sizeFor: sizeFunction(strategy.clustersPerDecisionGroup ?? '100%'),
    named: (strategy.decisionGroups ?? []).map(({ groupName, groupClusterSelector }) => ({
      name: groupName,
      matches: compileGroup(groupClusterSelector),
    })),
  };
}

/**
 * Cuts selected clusters into groups, in the order of the spec; a cluster is in the first group that it matches, and those that
 * match none come last. There is always a group, empty if nothing is selected. `selected` is sorted by name.
 */
export function groupClusters<T>(plan: GroupPlan<T>, selected: readonly T[]): readonly DecisionGroup<T>[] {
  const size = plan.sizeFor(selected.length);
  const groups: DecisionGroup<T>[] = [];
  const cut = (name: string, clusters: readonly T[]) => {
    for (let start = 0; start < clusters.length; start += size) {
      groups.push({ name, clusters: clusters.slice(start, start + size) });
    }
  };
  let rest = selected;
  for (const { name, matches } of plan.named) {
    const [inside, outside] = partition(rest, matches);
    cut(name, inside);
    rest = outside;
  }
  cut('', rest);
  return groups.length === 0 ? [{ name: '', clusters: [] }] : groups;
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): readonly [readonly T[], readonly T[]] {
  const inside: T[] = [];
  const outside: T[] = [];
  for (const item of items) (test(item) ? inside : outside).push(item);
  return [inside, outside];
}
