import { Annotation, Label, NamespaceName, ServiceAccountName, UserName } from '@flotilla/api-types';
import { certificateSigningRequestCodec } from '@flotilla/cloudevents';
import {
  type CachedResource,
  type Clock,
  dropManagedFields,
  type Informers,
  type KubeClient,
  KubeError,
  type Logger,
} from '@flotilla/kube';
import { type CertificateSigningRequest, selfSubjectReviews } from '@flotilla/kube/kinds';
import { partyOf } from '../budget/cluster-budgets.ts';
import type { Caller } from '../caller.ts';

/** The name of the server's account where the API server does not say as whom it asks, as those before Kubernetes 1.28. */
const usualUser = UserName.ServiceAccount.of({ namespace: NamespaceName.Hub, name: ServiceAccountName.GrpcServer });
const retryMs = 2_000;

/** As whom the server creates requests. Asks until the API server answers, as the caches do. */
export async function ownUser(
  client: KubeClient,
  { clock, log, signal }: { readonly clock: Clock; readonly log: Logger; readonly signal?: AbortSignal },
): Promise<string> {
  for (;;) {
    try {
      const { status } = await client.resource(selfSubjectReviews).create({}, { ...(signal && { signal }) });
      return status?.userInfo?.username ?? usualUser;
    } catch (error) {
      if (KubeError.is(error, 'NotFound', 'Forbidden')) return usualUser;
      signal?.throwIfAborted();
      log.warn('the API server does not say as whom this server asks; trying again', { error });
      await clock.sleep(retryMs, signal);
    }
  }
}

const byParty = 'party';

/**
 * The requests that the server itself created, whole. Every agent with access to the API may label requests with the name of another cluster:
 * of those of others, which the API server tells apart by `spec.username`, next to nothing is kept, and they belong to no cluster.
 */
export function openRequestCache(informers: Informers, user: string): CachedResource<CertificateSigningRequest> {
  return informers.resource(certificateSigningRequestCodec.resource, {
    labelSelector: Label.ClusterName,
    transform: (request) => (request.spec.username === user ? dropManagedFields(request) : withoutContent(request)),
    indexes: { [byParty]: partiesOf },
  });
}

function withoutContent({ metadata }: CertificateSigningRequest): CertificateSigningRequest {
  const { name, uid, resourceVersion } = metadata ?? {};
  return { metadata: { name, uid, resourceVersion }, spec: { request: '', signerName: '' } };
}

/** Whom a request of the server counts for. The server itself wrote the annotation, so that one caller cannot use up the limit of another. */
function partiesOf({ metadata }: CertificateSigningRequest): string[] {
  const clusterName = metadata?.labels?.[Label.ClusterName];
  const user = metadata?.annotations?.[Annotation.CsrUser];
  return clusterName === undefined || user === undefined ? [] : [partyOf({ user }, clusterName)];
}

/** How many requests the server has created for a caller, and for the other agents of its cluster. */
export const storedRequestsOf = (
  cache: Pick<CachedResource<CertificateSigningRequest>, 'byIndex'>,
  caller: Pick<Caller, 'user'>,
  clusterName: string,
): number => cache.byIndex(byParty, partyOf(caller, clusterName)).length;
