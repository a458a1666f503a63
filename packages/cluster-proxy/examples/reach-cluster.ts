import { clusterProxyPath } from '@flotilla/api-types';
import { type ClusterAccess, createKubeClient, type KubeClient, staticAccess } from '@flotilla/kube';

/** A client of a managed cluster, for a user of its hub: the same credentials at another address. */
export const reachCluster = (hub: ClusterAccess, cluster: string): KubeClient =>
  createKubeClient({ access: staticAccess({ ...hub, server: `${hub.server}${clusterProxyPath(cluster)}` }) });
