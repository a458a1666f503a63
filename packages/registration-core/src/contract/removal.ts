/**
 * With value "true" on a ManagedCluster that is being deleted: its agent is gone for good. The hub then releases what waits for it,
 * in the usual order, and what that agent has applied stays where it is.
 */
export const forcedRemovalAnnotation = 'open-cluster-management.io/force-removal';

/** Whether a cluster is to be removed without its agent. */
export const isRemovalForced = ({
  metadata,
}: {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
}): boolean => metadata?.annotations?.[forcedRemovalAnnotation] === 'true';

const ocmDomain = /^([a-z0-9-]+\.)*open-cluster-management\.io\//;

/**
 * The finalizers of others: those that a forced removal keeps, because whoever set them still has something to do. Those of Open
 * Cluster Management wait for the agent that is gone.
 */
export const foreignFinalizers = ({
  metadata,
}: {
  readonly metadata?: { readonly finalizers?: readonly string[] };
}): string[] => (metadata?.finalizers ?? []).filter((finalizer) => !ocmDomain.test(finalizer));
