import { Label, type ManagedCluster } from '@flotilla/api-types';

/**
 * Label of a ManagedCluster that the hub itself reaches. It alone does nothing: a pushed cluster has a Secret with the access to it too,
 * which only an administrator of the hub can write. OCM gives the label no meaning.
 */
export const clusterModeLabel = Label.ClusterMode;

/** Who talks to whom: the hub to the member, or an agent on the member to the hub. */
export type ClusterMode = 'Push' | 'Pull';

/** The mode of a cluster. One that does not say has an agent. */
export const clusterModeOf = ({ metadata }: Pick<ManagedCluster, 'metadata'>): ClusterMode =>
  metadata?.labels?.[clusterModeLabel] === 'Push' ? 'Push' : 'Pull';

/** Whether the hub runs the agent of this cluster. */
export const isPushed = (cluster: Pick<ManagedCluster, 'metadata'>): boolean => clusterModeOf(cluster) === 'Push';

/**
 * Annotation of the lease of a pushed cluster with the time that push-agents wrote into it. An agent on the member renews the lease
 * without it, so the two differ: that is how an agent shows that it has taken over, whoever wrote it.
 */
export const pushedRenewalAnnotation = 'open-cluster-management.io/renewed-by-push-agents';
