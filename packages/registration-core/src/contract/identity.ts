import { Annotation } from '@flotilla/api-types';

/**
 * Annotation on a ManagedCluster with the uid of its namespace `kube-system`: what makes a cluster itself, whatever it is called.
 * The agent sets it when it creates the ManagedCluster, so that the hub knows before the cluster is accepted. OCM carries annotations of
 * this prefix along and gives this one no meaning.
 */
export const clusterIdentityAnnotation = Annotation.ClusterIdentity;

/** With value "true" on a ManagedCluster: an administrator wants it in although another has its identity (a restored backup). */
export const sharedIdentityAnnotation = 'open-cluster-management.io/shared-identity-allowed';

/** Condition of a ManagedCluster: False while another one holds its identity. Written only once that has happened. */
export const identityUniqueCondition = {
  type: 'IdentityUnique',
  unique: 'IdentityUnique',
  duplicate: 'DuplicateIdentity',
} as const;
