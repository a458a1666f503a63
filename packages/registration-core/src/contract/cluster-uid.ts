/**
 * On a ManagedCluster: the uid of the kube-system namespace of the cluster that asks. It outlives every agent and differs between
 * clusters, so the hub can tell a cluster that joins again from another one that claims the same name.
 */
export const clusterUidAnnotation = 'agent.open-cluster-management.io/cluster-uid';
