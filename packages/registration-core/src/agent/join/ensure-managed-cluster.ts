import { LogReason, type ManagedCluster, managedClusters } from '@flotilla/api-types';
import { type KubeClient, KubeError, type Logger } from '@flotilla/kube';
import { type ClusterDescription, describeCluster } from './managed-cluster.policy.ts';

/** What came of it: `refused` means that these credentials may not, and somebody must mend that. */
export type EnsureOutcome = 'created' | 'updated' | 'unchanged' | 'absent' | { readonly refused: string };

/** Sees to it that the hub knows the cluster and what the agent has to tell about it. Never accepts on the hub's behalf. */
export async function ensureManagedCluster(
  hub: KubeClient,
  description: ClusterDescription,
  { create, log, signal }: { readonly create: boolean; readonly log: Logger; readonly signal: AbortSignal },
): Promise<EnsureOutcome> {
  const { clusterName } = description;
  const handle = hub.resource(managedClusters);
  try {
    const current = await handle.find(clusterName, { signal });
    if (current) {
      const described = describeCluster(current, description);
      if (described === current) return 'unchanged';
      await handle.replace(described, { signal });
      return 'updated';
    }
    if (!create) return 'absent';
    const fresh: ManagedCluster = {
      apiVersion: 'cluster.open-cluster-management.io/v1',
      kind: 'ManagedCluster',
      metadata: { name: clusterName },
      // Said aloud, as OCM's agents do: whether to accept is for the hub.
      spec: { hubAcceptsClient: false },
    };
    await handle.create(describeCluster(fresh, description), { signal });
    log.info('asked the hub to accept the cluster', { event: LogReason.ManagedClusterCreated, cluster: clusterName });
    return 'created';
  } catch (error) {
    if (KubeError.is(error, 'AlreadyExists')) return 'unchanged';
    if (KubeError.is(error, 'Unauthorized', 'Forbidden')) return { refused: error.message };
    throw error;
  }
}
