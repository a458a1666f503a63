import { GroupName, UserName } from '@flotilla/api-types';
import type { Subject } from '@flotilla/kube/kinds';

/** The cluster whose agent a subject is; undefined if it is of no single one. */
function clusterOf({ kind, name }: Subject): string | undefined {
  if (kind === 'Group') return GroupName.ClusterAddOn.parse(name)?.cluster;
  return UserName.AddOnAgent.parse(name)?.cluster ?? UserName.ServiceAccount.parse(name)?.namespace;
}

/**
 * The subjects of a binding that agents of several clusters share, with those of one cluster replaced. Those of clusters that no longer
 * have the add-on go.
 */
export function mergeSubjects(
  present: readonly Subject[],
  own: readonly Subject[],
  { cluster, hasAddon }: { readonly cluster: string; hasAddon(cluster: string): boolean },
): Subject[] {
  const others = present.filter((subject) => {
    const of = clusterOf(subject);
    if (own.some((mine) => mine.kind === subject.kind && mine.name === subject.name)) return false;
    return of === undefined || (of !== cluster && hasAddon(of));
  });
  // The order of a set that grows: a binding that is complete stays as it is.
  return [...others, ...own].sort((a, b) => compare(a.kind, b.kind) || compare(a.name, b.name));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Whether no cluster is left for which a binding exists. */
export const isAbandoned = (subjects: readonly Subject[]): boolean =>
  subjects.every((subject) => clusterOf(subject) === undefined);
