import { Label, type ManagedCluster, type ManagedClusterSet, type ManagedClusterSetBinding } from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';
import { formatAge, formatTable } from '../output/table.ts';
import { formatTree } from '../output/tree.ts';

/** A set, where it is bound, and which clusters have its label. */
export interface SetFacts {
  readonly set: ManagedClusterSet;
  readonly boundTo: readonly string[];
  readonly clusters: readonly string[];
}

const named = ({ metadata }: ManagedClusterSet | ManagedCluster): string => metadata?.name ?? '';

/** Sets with what other objects say about them, sorted by name. */
export const setFacts = (
  sets: readonly ManagedClusterSet[],
  bindings: readonly ManagedClusterSetBinding[],
  clusters: readonly ManagedCluster[],
): SetFacts[] =>
  sets
    .toSorted((a, b) => (named(a) < named(b) ? -1 : 1))
    .map((set) => ({
      set,
      boundTo: bindings
        .filter(({ spec }) => spec?.clusterSet === named(set))
        .map(({ metadata }) => metadata?.namespace ?? '')
        .sort(),
      clusters: clusters
        .filter(({ metadata }) => metadata?.labels?.[Label.ClusterSet] === named(set))
        .map(named)
        .sort(),
    }));

/** Those of clusteradm. */
const headers = ['NAME', 'BOUND NAMESPACES', 'STATUS', 'MANAGED NAMESPACES'];

const statusOf = ({ status }: ManagedClusterSet): string =>
  findCondition(status?.conditions, 'ClusterSetEmpty')?.message ?? '';

const managedNamespacesOf = ({ spec }: ManagedClusterSet): string =>
  (spec?.managedNamespaces ?? []).map(({ name }) => name).join(',');

/** What chooses its clusters, in one word. */
const selectorOf = ({ spec }: ManagedClusterSet): string =>
  spec?.clusterSelector?.selectorType ?? 'ExclusiveClusterSetLabel';

/** The table of `get clustersets`. */
export const setTable = (facts: readonly SetFacts[], wide: boolean, now: number): string =>
  formatTable(
    [...headers, ...(wide ? ['SELECTOR', 'CLUSTERS', 'AGE'] : [])],
    facts.map(({ set, boundTo, clusters }) => [
      named(set),
      boundTo.join(','),
      statusOf(set),
      managedNamespacesOf(set),
      ...(wide
        ? [selectorOf(set), clusters.join(',') || '<none>', formatAge(set.metadata?.creationTimestamp, now)]
        : []),
    ]),
  );

/** The tree of `get clustersets -o tree`, with the fields of clusteradm. */
export const setTree = (facts: readonly SetFacts[]): string =>
  formatTree(
    '<ManagedClusterSet>',
    facts.map(({ set, boundTo, clusters }) => ({
      text: named(set),
      below: [
        { text: `BoundNamespace  ${boundTo.join(',')}` },
        { text: `Status  ${statusOf(set)}` },
        { text: 'Clusters', below: clusters.map((text) => ({ text })) },
        { text: `ManagedNamespaces  ${managedNamespacesOf(set)}` },
      ],
    })),
  );
