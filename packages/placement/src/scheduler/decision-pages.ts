import { type DecisionGroupStatus, Label } from '@flotilla/api-types';
import type { DecisionGroup } from './decision-groups.ts';

/** One PlacementDecision as it should be. */
export interface DecisionPage<T> {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Sorted by name within the group. */
  readonly clusters: readonly T[];
}

/** The decisions of a placement as they should be: pages, and the groups in its status. */
export interface DecisionPages<T> {
  readonly pages: readonly DecisionPage<T>[];
  readonly groups: readonly DecisionGroupStatus[];
}

/** Cuts a group of sorted clusters into pages, of which the first has the given number. There is at least one. */
export type Paging<T> = (clusters: readonly T[], first: number) => readonly (readonly T[])[];

/** A PlacementDecision holds at most this many clusters. */
export const pageSize = 100;

/** As OCM does: in the order of names. A cluster that comes first moves one of each later page to the next. */
function sortedPages<T>(clusters: readonly T[]): readonly (readonly T[])[] {
  if (clusters.length <= pageSize) return [clusters];
  const pages: (readonly T[])[] = [];
  for (let start = 0; start < clusters.length; start += pageSize) pages.push(clusters.slice(start, start + pageSize));
  return pages;
}

/** The three labels of a PlacementDecision. */
const decisionLabels = (placement: string, group: string, index: number): Record<string, string> => ({
  [Label.Placement]: placement,
  [Label.DecisionGroupName]: group,
  [Label.DecisionGroupIndex]: String(index),
});

const isSamePage = <T>(a: DecisionPage<T>, { name, labels, clusters }: DecisionPage<T>): boolean => {
  if (a.name !== name || a.clusters.length !== clusters.length) return false;
  for (const key in labels) if (a.labels[key] !== labels[key]) return false;
  for (let index = 0; index < clusters.length; index++) if (a.clusters[index] !== clusters[index]) return false;
  return true;
};

/** How groups are cut into pages. */
export interface PageOptions<T> {
  readonly paging?: Paging<T>;
  /** The pages that the placement had before: those that stay the same are the same objects again. */
  readonly before?: readonly DecisionPage<T>[] | undefined;
}

/** Cuts groups into pages. Pages are counted from 1 over all groups. */
export function pageGroups<T>(
  placement: string,
  groups: readonly DecisionGroup<T>[],
  { paging = sortedPages, before = [] }: PageOptions<T> = {},
): DecisionPages<T> {
  const pages: DecisionPage<T>[] = [];
  const statuses: DecisionGroupStatus[] = [];
  for (const [index, { name: group, clusters }] of groups.entries()) {
    const decisions: string[] = [];
    const labels = decisionLabels(placement, group, index);
    for (const page of paging(clusters, pages.length + 1)) {
      const known = before[pages.length];
      const name = known?.name ?? `${placement}-decision-${pages.length + 1}`;
      const next = { name, labels, clusters: page };
      decisions.push(name);
      pages.push(known && isSamePage(known, next) ? known : next);
    }
    statuses.push({
      decisionGroupIndex: index,
      decisionGroupName: group,
      decisions,
      clusterCount: clusters.length,
    });
  }
  return { pages, groups: statuses };
}
