import {
  Annotation,
  GroupName,
  Label,
  type ManagedCluster,
  ManagedClusterCondition,
  managedClusters,
  RegistrationDriverName,
} from '@flotilla/api-types';
import { type Clock, type KubeClient, KubeError } from '@flotilla/kube';
import { type CertificateSigningRequest, certificateSigningRequests, setApproval } from '@flotilla/kube/kinds';
import {
  asRequested,
  claimTokenUse,
  findTokenRefusal,
  isFromAnotherCluster,
  isReporting,
} from '@flotilla/registration-core/certificates';
import { declaredAuthType } from '@flotilla/registration-core/contract';
import { isPushed } from '@flotilla/registration-core/push';
import { type AcceptFilter, type Candidate, isOfEarlierCluster, planAcceptance } from './accept.policy.ts';
import { readRequests } from './request-rows.ts';

/** What accepting a cluster came to. */
export type Acceptance =
  /** It can get, or has got, its certificate. `news` is what this run changed, `held` the requests that it left alone although they are open. */
  | { readonly kind: 'accepted'; readonly news: readonly string[]; readonly held: readonly string[] }
  /** Accepted, but it has not asked for a certificate yet. */
  | { readonly kind: 'waiting'; readonly news: readonly string[]; readonly why: string }
  | { readonly kind: 'ambiguous'; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'no-such-request' }
  | { readonly kind: 'unknown' };

/** Approves the requests of a cluster, then accepts the cluster. Repeating it changes nothing. */
export async function acceptCluster(
  { client, clock, dryRun = false }: { client: KubeClient; clock: Clock; dryRun?: boolean },
  name: string,
  filter: AcceptFilter,
): Promise<Acceptance> {
  const cluster = await client.resource(managedClusters).find(name);
  if (!cluster) return { kind: 'unknown' };
  const { items } = await client
    .resource(certificateSigningRequests)
    .list({ labelSelector: `${Label.ClusterName}=${name}` });
  // As the hub does: a request with the identity of another cluster does not get the certificate of this one.
  const ofCluster = items.filter(
    (request) => !isFromAnotherCluster(request, cluster) && !isOfEarlierCluster(request, cluster),
  );
  const { own, refusals, requests } = await withoutUsedUpTokens(client, ofCluster);
  const plan = planAcceptance(
    // A pushed cluster reports without an agent: the request is of the first one that it gets.
    { name, isReporting: isReporting(cluster) && !isPushed(cluster) },
    await readRequests(own),
    filter,
  );
  if (plan.kind !== 'approve') return plan;

  const news: string[] = [];
  for (const request of plan.approve) {
    // The hub may approve another request of the same token at this moment.
    const refusal = dryRun ? undefined : await claimTokenUse(client, asRequested(request), { requests });
    if (refusal !== undefined) {
      refusals.push(leftAlone(request, refusal));
      continue;
    }
    const reason = { type: 'Approved', reason: 'FlotillaApprove', message: 'Approved by flotilla accept.' } as const;
    await setApproval(client, request, reason, { now: clock.now(), dryRun });
    news.push(`CSR ${request.metadata?.name} approved`);
  }
  const hasApproval = plan.approved.length > 0 || news.length > 0;
  if (!cluster.spec?.hubAcceptsClient) {
    const patch = { type: 'merge', body: { spec: { hubAcceptsClient: true } } } as const;
    await client.resource(managedClusters).patch(name, patch, { dryRun });
    news.push(`set hubAcceptsClient to true for managed cluster ${name}`);
  }
  if (needsNoRequest(cluster) || hasApproval) {
    return { kind: 'accepted', news, held: plan.held };
  }
  if (refusals.length > 0) return { kind: 'waiting', news, why: refusals.join('; ') };
  const why =
    plan.denied.length > 0
      ? `its requests were denied (${plan.denied.join(', ')}); the agent asks again by itself`
      : 'it has not asked for a certificate yet';
  return { kind: 'waiting', news, why };
}

/** The requests that are decided, or whose sender may still have a certificate; and why others are left alone. */
async function withoutUsedUpTokens(
  client: KubeClient,
  ofCluster: readonly CertificateSigningRequest[],
): Promise<{
  own: CertificateSigningRequest[];
  refusals: string[];
  requests: { list(): readonly CertificateSigningRequest[] };
}> {
  const own: CertificateSigningRequest[] = [];
  const refusals: string[] = [];
  let all: readonly CertificateSigningRequest[] | undefined;
  const requests = { list: () => all ?? [] };
  for (const request of ofCluster) {
    const isOpen = (request.status?.conditions ?? []).length === 0;
    const sent = asRequested(request);
    const isRestricted = sent.spec.groups?.includes(GroupName.RestrictedBootstrappers);
    if (isOpen && isRestricted) all ??= (await client.resource(certificateSigningRequests).list()).items;
    const refusal = isOpen ? await findTokenRefusal(client, sent, { requests }) : undefined;
    if (refusal === undefined) own.push(request);
    else refusals.push(leftAlone(request, refusal));
  }
  return { own, refusals, requests };
}

const leftAlone = ({ metadata }: CertificateSigningRequest, why: string): string =>
  `request ${metadata?.name} is left alone: ${why}`;

/** The auth types whose agents ask for certificates. */
const certificateAuthTypes: ReadonlySet<string> = new Set([RegistrationDriverName.Csr, RegistrationDriverName.Grpc]);

/**
 * Whether there is no request to wait for. On AWS, and with auth types of others, credentials do not come from one. A pushed cluster needs none to be accepted; if it
 * is accepted already, an agent is about to take it over, and that agent asks.
 */
const needsNoRequest = (cluster: ManagedCluster): boolean => {
  if (isPushed(cluster)) return !cluster.spec?.hubAcceptsClient;
  const declared = declaredAuthType(cluster);
  if (declared !== undefined && !certificateAuthTypes.has(declared)) return true;
  return isJoined(cluster) || cluster.metadata?.annotations?.[Annotation.ManagedClusterArn] !== undefined;
};

const isJoined = ({ status }: ManagedCluster): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === ManagedClusterCondition.Joined && value === 'True') ??
  false;

/** Refuses a cluster that is not a hub, with what to do about it. */
export async function requireHub(client: KubeClient): Promise<void> {
  try {
    await client.mapper.byKind(`${managedClusters.group}/${managedClusters.version}`, managedClusters.kind);
  } catch (error) {
    if (!KubeError.is(error, 'UnknownKind', 'NotFound')) throw error;
    throw new KubeError('UnknownKind', 'this cluster is not a hub: it does not serve ManagedClusters', {
      cause: error,
      hint: 'Choose the hub with --kubeconfig or --context, or make this one a hub with `flotilla init`.',
    });
  }
}
