import { Finalizer, type ManagedCluster, ManagedClusterCondition } from '@flotilla/api-types';
import { findCondition, hasFinalizer, isDeleting } from '@flotilla/kube';

/** What a driver is to do outside of the hub about a cluster. */
export type ExternalDecision = 'create' | 'remove' | 'none';

/**
 * Decides by what an administrator wrote, and by the finalizer for what was made before: an agent may change the annotations by which
 * a driver claims its cluster. `isFor`: whether the driver claims the cluster, and is bound to it since an acceptance.
 */
export function decideExternal(cluster: ManagedCluster, finalizer: string, isFor: () => boolean): ExternalDecision {
  const isHeld = hasFinalizer(cluster, finalizer);
  const isWanted = cluster.spec?.hubAcceptsClient === true;
  // The agent of a deleted cluster has to remove its works, and cannot without its credentials. The core's finalizer waits for them.
  const mayFinishWorks = isWanted && hasFinalizer(cluster, Finalizer.ApiResourceCleanup);
  if (isDeleting(cluster)) return isHeld && !mayFinishWorks ? 'remove' : 'none';
  if (!isWanted) return isHeld ? 'remove' : 'none';
  // The core accepts first: it may refuse the name or the identity of the cluster.
  const isAccepted = findCondition(cluster.status?.conditions, ManagedClusterCondition.HubAccepted)?.status === 'True';
  return isAccepted && (isHeld || isFor()) ? 'create' : 'none';
}
