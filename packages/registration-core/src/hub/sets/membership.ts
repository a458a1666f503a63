import { Label, type ManagedCluster, type ManagedClusterSet } from '@flotilla/api-types';
import { KubeError, type Store } from '@flotilla/kube';
import { meetsRequirement, requirementsOf } from '@flotilla/kube/meta';

const exclusive = 'ExclusiveClusterSetLabel';
const labelSelector = 'LabelSelector';
const bySetLabel = 'clusterset-label';
const bySelectorType = 'selector-type';

/** Finds clusters by the set that their label names, so that the common kind of set needs no scan. */
export const membersIndex = {
  [bySetLabel]: ({ metadata }: ManagedCluster): readonly string[] => {
    const set = metadata?.labels?.[Label.ClusterSet];
    return set ? [set] : [];
  },
};

/** Finds the sets with a label selector, which must be asked one by one. */
export const selectorTypeIndex = {
  [bySelectorType]: ({ spec }: ManagedClusterSet): readonly string[] => [selectorTypeOf(spec)],
};

const selectorTypeOf = (spec: ManagedClusterSet['spec']): string => {
  const type: string | undefined = spec?.clusterSelector?.selectorType;
  return type || exclusive;
};

/** The test for clusters of a set. Throws if the set cannot be understood; its message is for the status of that set. */
function memberTest({ metadata, spec }: ManagedClusterSet): (cluster: ManagedCluster) => boolean {
  const type = selectorTypeOf(spec);
  if (type === exclusive) return (cluster) => cluster.metadata?.labels?.[Label.ClusterSet] === metadata?.name;
  if (type !== labelSelector) throw new KubeError('BadRequest', `selectorType is not right: ${type}`);
  const selector = spec?.clusterSelector?.labelSelector;
  if (!selector) return () => false;
  const requirements = requirementsOf(selector);
  return (cluster) => requirements.every((requirement) => meetsRequirement(requirement, cluster.metadata?.labels));
}

/** Whether a cluster is in a set. Throws if the set cannot be understood. */
export const isMember = (set: ManagedClusterSet, cluster: ManagedCluster): boolean => memberTest(set)(cluster);

/** The clusters of a set. Throws if the set cannot be understood. */
export function membersOf(clusters: Store<ManagedCluster>, set: ManagedClusterSet): ManagedCluster[] {
  if (selectorTypeOf(set.spec) === exclusive) return clusters.byIndex(bySetLabel, set.metadata?.name ?? '');
  return clusters.list().filter(memberTest(set));
}

/** The sets that a cluster is in. One broken set is left out and does not hide the others. */
export function setsOf(sets: Store<ManagedClusterSet>, cluster: ManagedCluster): ManagedClusterSet[] {
  const named = sets.get(cluster.metadata?.labels?.[Label.ClusterSet] ?? '');
  const found = named && selectorTypeOf(named.spec) === exclusive ? [named] : [];
  for (const set of sets.byIndex(bySelectorType, labelSelector)) {
    try {
      if (isMember(set, cluster)) found.push(set);
    } catch {
      // Its own status says what is wrong with it.
    }
  }
  return found;
}

/** Names of the sets that a cluster is in: the keys to wake when it changes. */
export const setKeysOf =
  (sets: Store<ManagedClusterSet>) =>
  (cluster: ManagedCluster): string[] =>
    setsOf(sets, cluster).map(({ metadata }) => metadata?.name ?? '');
