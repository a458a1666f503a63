import { type ManagedCluster, ManagedClusterCondition, managedClusters } from '@flotilla/api-types';
import { findCondition, type KubeClient, KubeError, selfSubjectAccessReviews } from '@flotilla/kube';
import type { BootstrapRight } from '../../contract/index.ts';

/** What a hub says to an agent that would join it. */
export type HubOffer =
  | { readonly kind: 'open' }
  /** An administrator said no. */
  | { readonly kind: 'denied'; readonly message: string }
  /** It cannot be reached, does not know these credentials, or grants them too little. */
  | { readonly kind: 'unavailable'; readonly message: string };

/** Who asks. */
export interface BootstrapCheckOptions {
  readonly clusterName: string;
  /** What the driver needs beside ManagedClusters. */
  readonly rights: readonly BootstrapRight[];
  readonly signal: AbortSignal;
}

const clusterRights: BootstrapRight = {
  group: 'cluster.open-cluster-management.io',
  resource: 'managedclusters',
  verbs: ['create', 'get'],
};
/** A hub that answers slower is not the one to move to. */
const deadlineMs = 10_000;

/** Finds out whether a cluster could join this hub with this access. Never rejects. */
export async function checkBootstrap(hub: KubeClient, options: BootstrapCheckOptions): Promise<HubOffer> {
  const { clusterName, signal } = options;
  const call = { signal, deadlineMs };
  try {
    for (const { group, resource, verbs } of [clusterRights, ...options.rights]) {
      for (const verb of verbs) {
        const review = { spec: { resourceAttributes: { group, resource, verb } } };
        const { status } = await hub.resource(selfSubjectAccessReviews).create(review, call);
        if (!status?.allowed) return { kind: 'unavailable', message: `may not ${verb} ${resource}` };
      }
    }
    const cluster = await hub.resource(managedClusters).find(clusterName, call);
    return cluster && isRejected(cluster)
      ? { kind: 'denied', message: 'hub does not accept client' }
      : { kind: 'open' };
  } catch (error) {
    return { kind: 'unavailable', message: KubeError.from(error).message };
  }
}

/**
 * Whether an administrator has sent the cluster away. One about which nobody has decided yet is not rejected: it has no condition,
 * and an agent that starts again while it waits must not leave the hub for that.
 */
export const isRejected = (cluster: ManagedCluster): boolean =>
  cluster.spec?.hubAcceptsClient !== true &&
  findCondition(cluster.status?.conditions, ManagedClusterCondition.HubAccepted) !== undefined;
