import type { ManagedCluster, ManagedClusterSet, ManagedClusterStatus } from '@flotilla/api-types';
import { isDeleting } from '@flotilla/kube';

/** The entries of a cluster's status. */
export type ManagedNamespaces = NonNullable<ManagedClusterStatus['managedNamespaces']>;

const byStatusSet = 'managed-namespace-set';

/** Finds clusters whose status names a set, so that those that left it are found too. */
export const managedNamespacesIndex = {
  [byStatusSet]: ({ status }: ManagedCluster): readonly string[] => [
    ...new Set(status?.managedNamespaces?.map(({ clusterSet }) => clusterSet)),
  ],
};

/** The index to ask for clusters whose status names a set. */
export const statusSetIndex = byStatusSet;

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);

/**
 * The namespaces that the sets of a cluster manage on it. What the agent said about those that stay is kept; undefined if the
 * list is right already.
 */
export function managedNamespacesOf(
  cluster: ManagedCluster,
  sets: readonly ManagedClusterSet[],
): ManagedNamespaces | undefined {
  const present = cluster.status?.managedNamespaces ?? [];
  const wanted = sets
    .filter((set) => !isDeleting(set))
    .flatMap(({ metadata, spec }) =>
      (spec?.managedNamespaces ?? []).map(({ name }) => ({ clusterSet: metadata?.name ?? '', name })),
    )
    .sort((a, b) => compare(a.clusterSet, b.clusterSet) || compare(a.name, b.name));
  const entries = wanted.map(
    (entry) => present.find((old) => old.clusterSet === entry.clusterSet && old.name === entry.name) ?? entry,
  );
  const same = entries.length === present.length && entries.every((entry, index) => entry === present[index]);
  return same ? undefined : entries;
}
