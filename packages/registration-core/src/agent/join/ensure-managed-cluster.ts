import { LogReason, type ManagedCluster, managedClusters } from '@flotilla/api-types';
import { type KubeClient, KubeError, type Logger } from '@flotilla/kube';
import { type ClusterDescription, describeCluster, otherHolder } from './managed-cluster.policy.ts';
import type { RejoinDecision } from './rejoin.policy.ts';

/**
 * Result of ensuring the ManagedCluster, with the object if it is there. `refused`: these credentials lack the permission. `taken`:
 * another cluster has the name. `removed`: it is not there and must not be created. All three are for an administrator to fix.
 */
export type EnsureOutcome =
  | { readonly kind: 'created' | 'updated' | 'unchanged'; readonly cluster: ManagedCluster }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused' | 'taken' | 'removed'; readonly message: string };

/** How to ensure it. */
export interface EnsureOptions {
  /** Asked when it is not there. Default: it is not created. */
  readonly decide?: () => Promise<RejoinDecision>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Ensures that the ManagedCluster exists and has what the agent reports. Never accepts on the hub's behalf. */
export async function ensureManagedCluster(
  hub: KubeClient,
  description: ClusterDescription,
  { decide, log, signal }: EnsureOptions,
): Promise<EnsureOutcome> {
  const { clusterName } = description;
  const handle = hub.resource(managedClusters);
  try {
    const current = await handle.find(clusterName, { signal });
    if (current) {
      const message = takenMessage(current, description);
      if (message !== undefined) return { kind: 'taken', message };
      const described = describeCluster(current, description);
      if (described === current) return { kind: 'unchanged', cluster: current };
      return { kind: 'updated', cluster: await handle.replace(described, { signal }) };
    }
    if (!decide) return { kind: 'absent' };
    const decision = await decide();
    if (!decision.create) return { kind: 'removed', message: removedMessage(clusterName, decision.why) };
    const fresh: ManagedCluster = {
      apiVersion: 'cluster.open-cluster-management.io/v1',
      kind: 'ManagedCluster',
      metadata: { name: clusterName },
      // Set explicitly, as OCM's agents do: acceptance is the hub's decision.
      spec: { hubAcceptsClient: false },
    };
    const cluster = await handle.create(describeCluster(fresh, description), { signal });
    log.info('asked the hub to accept the cluster', {
      event: LogReason.ManagedClusterCreated,
      cluster: clusterName,
      why: decision.why,
    });
    return { kind: 'created', cluster };
  } catch (error) {
    if (KubeError.is(error, 'Unauthorized', 'Forbidden')) {
      return { kind: 'refused', message: refusedMessage(error, decide !== undefined) };
    }
    // Also AlreadyExists: another cluster may have been faster, so whose it is has to be read.
    throw error;
  }
}

/** Why the name cannot be used, if another cluster has it. */
export function takenMessage(cluster: ManagedCluster, description: ClusterDescription): string | undefined {
  const holder = otherHolder(cluster, description);
  const { clusterName, clusterUid } = description;
  return holder === undefined
    ? undefined
    : `the name ${clusterName} belongs to the cluster with kube-system uid ${holder}, and this one has ${clusterUid}: ` +
        `join under another name, or delete the ManagedCluster on the hub if that cluster is gone`;
}

/** That the cluster is not on the hub any more, and what brings it back. */
export const removedMessage = (clusterName: string, why: string): string =>
  `the cluster ${clusterName} was removed from the hub (${why}), so the agent does not ask again. To bring it back: create and accept ` +
  'its ManagedCluster on the hub, or run `flotilla join` on this cluster again, or give the agent new bootstrap credentials';

/** What is wrong and what to do. Only bootstrap credentials may create; they expire unless an administrator renews them. */
const refusedMessage = ({ code, message, hint }: KubeError, isBootstrap: boolean): string =>
  isBootstrap && code === 'Unauthorized'
    ? `${message}. The bootstrap credentials have ended or were never good: put new ones into the bootstrap kubeconfig ` +
      '(on the hub `flotilla get token` prints a token); they are used as soon as they are there'
    : `${message}. ${hint}`;
