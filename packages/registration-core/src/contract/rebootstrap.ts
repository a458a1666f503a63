/**
 * With value "true" on a ManagedCluster that has joined: an administrator allows a bootstrap user to get one new certificate for it,
 * although its agent still reports. The hub takes the annotation off when it approves a request by it.
 */
export const rebootstrapAllowedAnnotation = 'open-cluster-management.io/rebootstrap-allowed';

/** Whether a bootstrap user may get a certificate for a cluster that has joined. */
export const isRebootstrapAllowed = ({
  metadata,
}: {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
}): boolean => metadata?.annotations?.[rebootstrapAllowedAnnotation] === 'true';
