import { Annotation, Label, type ManagedCluster, ManagedClusterCondition, managedClusters } from '@flotilla/api-types';
import { isFromAnotherCluster } from '@flotilla/driver-csr';
import { type Clock, certificateSigningRequests, type KubeClient, KubeError, setApproval } from '@flotilla/kube';
import { type AcceptFilter, planAcceptance } from './accept.policy.ts';
import { readRequests } from './request-rows.ts';

/** What accepting a cluster came to. */
export type Acceptance =
  /** It can get, or has got, its certificate. `news` is what this run changed. */
  | { readonly kind: 'accepted'; readonly news: readonly string[] }
  /** Accepted, but it has not asked for a certificate yet. */
  | { readonly kind: 'waiting'; readonly news: readonly string[]; readonly why: string }
  | { readonly kind: 'ambiguous'; readonly requesters: readonly string[] }
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
  // As the hub does: whoever says that it is another cluster does not get the certificate of this one.
  const own = items.filter((request) => !isFromAnotherCluster(request, cluster));
  const plan = planAcceptance(name, await readRequests(own), filter);
  if (plan.kind === 'ambiguous') return plan;

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
  if (hasCredentials || plan.approve.length > 0 || plan.approved.length > 0) return { kind: 'accepted', news };
  const why =
    plan.denied.length > 0
      ? `its requests were denied (${plan.denied.join(', ')}); the agent asks again by itself`
      : 'it has not asked for a certificate yet';
  return { kind: 'waiting', news, why };
}

const isJoined = ({ status }: ManagedCluster): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === ManagedClusterCondition.Joined && value === 'True') ??
  false;

/** Refuses a cluster that is no hub, with what to do about it. */
export async function requireHub(client: KubeClient): Promise<void> {
  try {
    await client.mapper.byKind(`${managedClusters.group}/${managedClusters.version}`, managedClusters.kind);
  } catch (error) {
    if (!KubeError.is(error, 'UnknownKind', 'NotFound')) throw error;
    throw new KubeError('UnknownKind', 'this cluster is no hub: it does not serve ManagedClusters', {
      cause: error,
      hint: 'Choose the hub with --kubeconfig or --context, or make this one a hub with `flotilla init`.',
    });
  }
}
