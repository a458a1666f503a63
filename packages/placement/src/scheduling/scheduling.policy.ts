import { Annotation, Label, type Placement } from '@flotilla/api-types';
import { joinKey } from '@flotilla/kube';
import type { ScheduleResult } from '../engine/schedule-result.ts';
import { type DecisionPage, type DecisionPages, pageGroups } from '../scheduler/decision-pages.ts';
import type { DecisionStore } from './decision-store.ts';

/** Whether the controller must leave a placement alone. */
export const isSchedulingDisabled = ({ metadata }: Placement): boolean =>
  metadata?.annotations?.[Annotation.SchedulingDisabled] === 'true';

/** The number at the end of the name of a page. */
const numberOf = (name: string): number => Number(/-decision-(\d+)$/.exec(name)?.[1] ?? 0);

/** The groups of pages, by their labels. */
function groupsOf(pages: readonly DecisionPage<number>[]): DecisionPages<number>['groups'] {
  const groups = new Map<number, { name: string; decisions: string[]; count: number }>();
  for (const { name, labels, clusters } of pages) {
    const index = Number(labels[Label.DecisionGroupIndex] ?? 0);
    const group = groups.get(index) ?? { name: labels[Label.DecisionGroupName] ?? '', decisions: [], count: 0 };
    group.decisions.push(name);
    group.count += clusters.length;
    groups.set(index, group);
  }
  return [...groups]
    .sort(([a], [b]) => a - b)
    .map(([decisionGroupIndex, { name, decisions, count }]) => ({
      decisionGroupIndex,
      decisionGroupName: name,
      decisions,
      clusterCount: count,
    }));
}

/**
 * The decisions that a placement should have. A placement that is misconfigured keeps those it has, without clusters that left its
 * sets: a typo must not take the work of a fleet away. One that never had any gets none.
 */
export function wantedDecisions(
  { metadata }: Placement,
  { decisions }: ScheduleResult,
  store: Pick<DecisionStore, 'of' | 'clustersOf'>,
  isCandidate: (id: number) => boolean,
): DecisionPages<number> {
  if (decisions) return decisions;
  const { namespace = '', name = '' } = metadata ?? {};
  const current = store.of(joinKey(namespace, name));
  if (current.length === 0)
    return name.length > 63 ? { pages: [], groups: [] } : pageGroups(name, [{ name: '', clusters: [] }]);
  const sorted = current.toSorted((a, b) => numberOf(a.metadata?.name ?? '') - numberOf(b.metadata?.name ?? ''));
  const pages = sorted.map((decision) => ({
    name: decision.metadata?.name ?? '',
    labels: decision.metadata?.labels ?? {},
    clusters: store.clustersOf(decision).filter(isCandidate),
  }));
  return { pages, groups: groupsOf(pages) };
}
