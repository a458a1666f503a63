import { type ManagedCluster, ManagedClusterCondition } from '@flotilla/api-types';
import { isConditionTrue } from '@flotilla/kube';

/** Whether the hub has accepted a cluster; the permissions of its agent are there by then. */
export const isAccepted = (cluster: ManagedCluster): boolean =>
  isConditionTrue(cluster.status?.conditions, ManagedClusterCondition.HubAccepted);
