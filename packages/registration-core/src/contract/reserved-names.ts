/**
 * Condition of a ManagedCluster that is False while its name is that of a system namespace, or of a role or group of all clusters. Such a
 * cluster is not accepted: its agent would get permissions in that namespace, or those of all clusters. Written only then.
 */
export const clusterNameCondition = { type: 'ClusterNameAllowed', reserved: 'SystemNamespace' } as const;

/**
 * Names of system namespaces, as a regular expression of JavaScript and of CEL. And those under which permissions would be mixed with
 * those of all clusters: the ClusterRole of a cluster `work`, open-cluster-management:managedcluster:work, is the one that the agents
 * of all clusters are bound to, and the group of a cluster `managed-clusters` is that of all of them, removed ones included.
 */
export const reservedNamePattern = '^(default|kube-.*|open-cluster-management.*|registration|work|managed-clusters)$';

const reserved = new RegExp(reservedNamePattern);

/** Whether a cluster of this name would have a namespace, role or group of Kubernetes or of Open Cluster Management as its own. */
export const isReservedClusterName = (name: string): boolean => reserved.test(name);

/** What is wrong with such a name. */
export const reservedNameError = (name: string): string =>
  `"${name}" cannot be the name of a cluster: a namespace, role or group of that name belongs to Kubernetes or Open Cluster Management`;

/** What to do about it. */
export const reservedNameHint =
  'Join under a name other than default, kube-*, open-cluster-management*, registration, work and managed-clusters.';
