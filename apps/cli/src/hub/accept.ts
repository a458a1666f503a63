import { Annotation, Label, type ManagedCluster, ManagedClusterCondition, managedClusters } from '@flotilla/api-types';
import { type Clock, type KubeClient, KubeError } from '@flotilla/kube';
import { certificateSigningRequests, setApproval } from '@flotilla/kube/kinds';
import { isFromAnotherCluster, isReporting } from '@flotilla/registration-core/certificates';
import { type AcceptFilter, type Candidate, planAcceptance } from './accept.policy.ts';
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
  const own = items.filter((request) => !isFromAnotherCluster(request, cluster));
  const plan = planAcceptance({ name, isReporting: isReporting(cluster) }, await readRequests(own), filter);
  if (plan.kind !== 'approve') return plan;

  const news: string[] = [];
  for (const request of plan.approve) {
    const reason = { type: 'Approved', reason: 'FlotillaApprove', message: 'Approved by flotilla accept.' } as const;
    await setApproval(client, request, reason, { now: clock.now(), dryRun });
    news.push(`CSR ${request.metadata?.name} approved`);
  }
  if (!cluster.spec?.hubAcceptsClient) {
    const patch = { type: 'merge', body: { spec: { hubAcceptsClient: true } } } as const;
    await client.resource(managedClusters).patch(name, patch, { dryRun });
    news.push(`set hubAcceptsClient to true for managed cluster ${name}`);
  }
  // On AWS credentials do not come from a certificate request, so there is none to wait for.
  const hasCredentials =
    isJoined(cluster) || cluster.metadata?.annotations?.[Annotation.ManagedClusterArn] !== undefined;
  if (hasCredentials || plan.approve.length > 0 || plan.approved.length > 0) {
    return { kind: 'accepted', news, held: plan.held };
  }
  const why =
    plan.denied.length > 0
      ? `its requests were denied (${plan.denied.join(', ')}); the agent asks again by itself`
      : 'it has not asked for a certificate yet';
  return { kind: 'waiting', news, why };
}

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
