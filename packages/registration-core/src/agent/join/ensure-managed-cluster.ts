import { LogReason, type ManagedCluster, managedClusters } from '@flotilla/api-types';
import { type KubeClient, KubeError, type Logger } from '@flotilla/kube';
import { type ClusterDescription, describeCluster, otherHolder } from './managed-cluster.policy.ts';

/** What came of it. `refused`: these credentials may not. `taken`: another cluster has the name. Both are for people to mend. */
export type EnsureOutcome =
  | 'created'
  | 'updated'
  | 'unchanged'
  | 'absent'
  | { readonly kind: 'refused' | 'taken'; readonly message: string };

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
      const holder = otherHolder(current, description);
      if (holder !== undefined) return { kind: 'taken', message: takenMessage(description, holder) };
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
    if (KubeError.is(error, 'Unauthorized', 'Forbidden'))
      return { kind: 'refused', message: refusedMessage(error, create) };
    throw error;
  }
}

const takenMessage = ({ clusterName, clusterUid }: ClusterDescription, holder: string): string =>
  `the name ${clusterName} belongs to the cluster with kube-system uid ${holder}, and this one has ${clusterUid}: ` +
  `join under another name, or delete the ManagedCluster on the hub if that cluster is gone`;

/** What is wrong and what to do. Only bootstrap credentials may create; they end unless somebody gives new ones. */
const refusedMessage = ({ code, message, hint }: KubeError, create: boolean): string =>
  create && code === 'Unauthorized'
    ? `${message}. The bootstrap credentials have ended or were never good: put new ones into the bootstrap kubeconfig ` +
      '(on the hub `flotilla get token` prints a token); they are used as soon as they are there'
    : `${message}. ${hint}`;
