import { type ManagedCluster, ManagedClusterCondition } from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';

/** Whether a cluster could join a hub. */
export type HubOffer =
  | { readonly kind: 'open' }
  /** An administrator denied the cluster. */
  | { readonly kind: 'denied'; readonly message: string }
  /** The hub does not answer, does not know the bootstrap credentials, or grants them too little. */
  | { readonly kind: 'unavailable'; readonly message: string };

/**
 * Whether an administrator denied the cluster. One that is not decided about yet has no condition and is not denied: an agent
 * that restarts while it waits must not leave the hub for that.
 */
export const isDenied = (cluster: ManagedCluster): boolean =>
  cluster.spec?.hubAcceptsClient !== true &&
  findCondition(cluster.status?.conditions, ManagedClusterCondition.HubAccepted) !== undefined;
