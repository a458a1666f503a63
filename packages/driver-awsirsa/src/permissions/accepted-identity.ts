import type { KubeClient } from '@flotilla/kube';
import { namespaces } from '@flotilla/kube/kinds';
import type { DeclaredIdentity } from '../cluster-identity.ts';

/**
 * Annotations on the namespace of a cluster: the identity that its role was created for. The agent can change the annotations of its
 * ManagedCluster, and cannot change the namespace; so what it writes later leads neither to another role nor to that of another cluster.
 */
export const acceptedArnAnnotation = 'open-cluster-management.io/accepted-managed-cluster-arn';
const acceptedSuffixAnnotation = 'open-cluster-management.io/accepted-iam-role-suffix';

/** What is recorded for a cluster. */
export type AcceptedIdentity =
  | { readonly kind: 'no namespace' }
  | { readonly kind: 'none' }
  /** An administrator denied the cluster since: what it declares when it is accepted again counts. */
  | { readonly kind: 'released' }
  | { readonly kind: 'recorded'; readonly identity: DeclaredIdentity };

/** Reads the identity that was accepted. */
export async function readAccepted(
  client: KubeClient,
  cluster: string,
  signal: AbortSignal,
): Promise<AcceptedIdentity> {
  const namespace = await client.resource(namespaces).find(cluster, { signal });
  if (!namespace) return { kind: 'no namespace' };
  const arn = namespace.metadata?.annotations?.[acceptedArnAnnotation];
  const suffix = namespace.metadata?.annotations?.[acceptedSuffixAnnotation];
  if (arn && suffix) return { kind: 'recorded', identity: { arn, suffix } };
  return { kind: arn === '' ? 'released' : 'none' };
}

/** Records the identity that is accepted, that there is none any more, or nothing. A conflicting write of another is an error, to be repeated. */
export async function recordAccepted(
  client: KubeClient,
  cluster: string,
  identity: DeclaredIdentity | 'released' | undefined,
  signal: AbortSignal,
): Promise<void> {
  const handle = client.resource(namespaces);
  const namespace = await handle.get(cluster, { signal });
  const {
    [acceptedArnAnnotation]: _arn,
    [acceptedSuffixAnnotation]: _suffix,
    ...others
  } = namespace.metadata?.annotations ?? {};
  const record: Record<string, string> | undefined =
    identity === 'released'
      ? { [acceptedArnAnnotation]: '' }
      : identity && { [acceptedArnAnnotation]: identity.arn, [acceptedSuffixAnnotation]: identity.suffix };
  // Replaced and not patched: the hub may update namespaces, and needs no further permission for this.
  await handle.replace(
    { ...namespace, metadata: { ...namespace.metadata, annotations: { ...others, ...record } } },
    { signal },
  );
}
