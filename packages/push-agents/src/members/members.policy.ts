import { type ManagedCluster, ManagedClusterCondition } from '@flotilla/api-types';
import { isConditionTrue, isDeleting } from '@flotilla/kube';
import { isPushed } from '@flotilla/registration-core/push';
import { replicaFor } from '../sharding/assignment.policy.ts';

/**
 * Whether the agent of a cluster runs in this process. As an agent on the member, it works from acceptance on, and until a deleted
 * cluster has nothing left to clean up.
 */
export const runsHere = (cluster: ManagedCluster, identity: string, replicas: readonly string[]): boolean =>
  isPushed(cluster) &&
  (isDeleting(cluster) || isConditionTrue(cluster.status?.conditions, ManagedClusterCondition.HubAccepted)) &&
  replicaFor(cluster.metadata?.name ?? '', replicas) === identity;
