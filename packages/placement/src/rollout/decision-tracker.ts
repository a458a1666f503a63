import { Label, type PlacementDecision } from '@flotilla/api-types';

/** A decision group: its position in the rollout, and its name, empty for groups that were made by size. */
export interface GroupKey {
  readonly groupName: string;
  readonly groupIndex: number;
}

/** The clusters of a decision group. */
export interface ClusterGroup extends GroupKey {
  readonly clusters: ReadonlySet<string>;
}

/** Which groups are meant: all of a name, else the one at an index. */
export interface GroupSelector {
  readonly groupName?: string;
  readonly groupIndex?: number;
}

/** Clusters that came to a placement, and clusters that left it. */
export interface ClusterChanges {
  readonly added: ReadonlySet<string>;
  readonly deleted: ReadonlySet<string>;
}

function indexOf({ metadata }: PlacementDecision): number {
  const text = metadata?.labels?.[Label.DecisionGroupIndex] ?? '';
  if (!/^-?\d+$/.test(text)) {
    throw new Error(
      `incorrect group index: label ${Label.DecisionGroupIndex} of PlacementDecision ${metadata?.namespace}/${metadata?.name} is "${text}", not a number`,
    );
  }
  return Number(text);
}

/** The groups of the decisions of one placement, in the order of the rollout. Pages of one group are one. */
export function clusterGroups(decisions: Iterable<PlacementDecision>): readonly ClusterGroup[] {
  const groups = new Map<string, GroupKey & { readonly clusters: Set<string> }>();
  for (const decision of decisions) {
    const groupIndex = indexOf(decision);
    const groupName = decision.metadata?.labels?.[Label.DecisionGroupName] ?? '';
    const key = `${groupIndex} ${groupName}`;
    const group = groups.get(key) ?? { groupName, groupIndex, clusters: new Set<string>() };
    groups.set(key, group);
    for (const { clusterName } of decision.status?.decisions ?? []) group.clusters.add(clusterName);
  }
  return [...groups.values()].sort((a, b) => a.groupIndex - b.groupIndex || (a.groupName < b.groupName ? -1 : 1));
}

/** All clusters of groups. */
export const clustersIn = (groups: readonly ClusterGroup[]): ReadonlySet<string> =>
  new Set(groups.flatMap(({ clusters }) => [...clusters]));

/** What changed between two states of the decisions of a placement. */
export function clusterChanges(before: readonly ClusterGroup[], after: readonly ClusterGroup[]): ClusterChanges {
  const old = clustersIn(before);
  const current = clustersIn(after);
  return {
    added: new Set([...current].filter((name) => !old.has(name))),
    deleted: new Set([...old].filter((name) => !current.has(name))),
  };
}

const isMeant =
  (selectors: readonly GroupSelector[]) =>
  (group: ClusterGroup): boolean =>
    selectors.some(({ groupName, groupIndex = 0 }) =>
      groupName ? group.groupName === groupName : group.groupIndex === groupIndex,
    );

/** The groups that are meant; none if nothing is. */
export const groupsAmong = (
  groups: readonly ClusterGroup[],
  selectors: readonly GroupSelector[],
): readonly ClusterGroup[] => groups.filter(isMeant(selectors));

/** The groups that are not meant; all if nothing is. */
export const groupsBesides = (
  groups: readonly ClusterGroup[],
  selectors: readonly GroupSelector[],
): readonly ClusterGroup[] => groups.filter((group) => !isMeant(selectors)(group));
