/**
 * With value "true" on a ManagedCluster that is being deleted: its agent is gone for good. The hub then lets go what waits for it,
 * in the usual order, and what that agent has applied stays where it is.
 */
export const forcedRemovalAnnotation = 'open-cluster-management.io/force-removal';

/** Whether a cluster is to be removed without its agent. */
export const isRemovalForced = ({
  metadata,
}: {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
}): boolean => metadata?.annotations?.[forcedRemovalAnnotation] === 'true';
