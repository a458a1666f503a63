import type { ManagedCluster } from '@flotilla/api-types';

/**
 * Annotation of a ManagedCluster with its auth type. A driver other than the hub's first sets it in `decorate`, so that no other
 * driver claims the cluster. OCM's agents do not set it.
 */
export const authTypeAnnotation = 'agent.open-cluster-management.io/registration-auth';

/** The auth type that a cluster declares; undefined if it declares none. */
export const declaredAuthType = ({ metadata }: ManagedCluster): string | undefined =>
  metadata?.annotations?.[authTypeAnnotation] || undefined;
