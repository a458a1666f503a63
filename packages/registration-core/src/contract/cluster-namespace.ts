import type { KubeObject } from '@flotilla/schema';

/**
 * On a namespace that the hub created for a cluster, with the name of the namespace as its value, so that a copied manifest does not
 * carry it to another one. A namespace that was there before has the label of the cluster only, and is never deleted.
 */
export const createdByHubAnnotation = 'open-cluster-management.io/created-by-hub';

/**
 * On the namespace of a cluster: the auth types that it was accepted by, separated by commas. Its agent can change the annotations of
 * its ManagedCluster, and cannot change the namespace.
 */
export const acceptedAuthAnnotation = 'open-cluster-management.io/accepted-registration-auth';

/** Whether the hub created this namespace. False for one of an earlier version or of an OCM hub, which do not say so. */
export const isCreatedByHub = ({ metadata }: KubeObject): boolean =>
  metadata?.name !== undefined && metadata.annotations?.[createdByHubAnnotation] === metadata.name;
