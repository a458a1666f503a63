import {
  Annotation,
  CertificateSigningRequestReason,
  ControllerName,
  Label,
  LogReason,
  type ManagedCluster,
  managedClusters,
  Permission,
} from '@flotilla/api-types';
import {
  type CachedResource,
  type Clock,
  type Controller,
  defineController,
  done,
  type Informers,
  type KubeClient,
  on,
} from '@flotilla/kube';
import {
  type CertificateSigningRequest,
  certificateSigningRequests,
  reviewAccess,
  setApproval,
} from '@flotilla/kube/kinds';
import { isRebootstrapAllowed, rebootstrapAllowedAnnotation } from '../contract/index.ts';
import {
  approvalPath,
  isFromAnotherCluster,
  isRenewalWithheld,
  isReporting,
  type RequestedSubject,
  recognizeAgentRequest,
} from './approval.policy.ts';
import { claimTokenUse, findTokenRefusal } from './join-token-uses.ts';
import { clusterOfAgent, isDecided, maxUndecidedOfAgent, requestCache, undecidedOf } from './request-cache.ts';
import { readRequestedSubject } from './requested-subject.ts';
import { requesterOf } from './requester.ts';

/** What the approval of requests needs. */
export interface ApprovalControllerOptions {
  /** In logs and metrics; another one for another signer. Default: OCM's. */
  readonly name?: string;
  readonly client: KubeClient;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly signerName: string;
  /** Users whose first requests are approved automatically; empty unless the gate is on. */
  readonly trustedUsers: ReadonlySet<string>;
  /** The request as the user sent it, where the API server names another one, such as a server between them. Default: as it is. */
  readonly asSent?: (request: CertificateSigningRequest, subject: RequestedSubject) => CertificateSigningRequest;
}

const message = 'Auto approving Managed cluster agent certificate after SubjectAccessReview.';

const byCluster = 'cluster';

const clusterOf = ({ metadata }: CertificateSigningRequest): string[] => {
  const name = metadata?.labels?.[Label.ClusterName];
  return name ? [name] : [];
};

/**
 * Approves renewals by agents that may renew, and first requests of trusted users for clusters that do not report yet, or no longer.
 * Never denies: what it does not approve is for an administrator.
 */
export function approvalController(options: ApprovalControllerOptions): Controller {
  const { client, informers, clock, signerName, trustedUsers, asSent = (request) => request } = options;
  const requests = requestCache(informers, { [byCluster]: clusterOf });
  return defineController({
    name: options.name ?? ControllerName.CsrApproving,
    watches: [
      on(requests, undefined, ({ type, object }) => type !== 'deleted' && object.spec.signerName === signerName),
      withheldWatch(informers, requests),
      // Renewals depend on nothing else of a cluster.
      ...(trustedUsers.size > 0 ? [clusterWatch(informers, requests), competingWatch(requests)] : []),
    ],
    async reconcile(name, { log, signal }) {
      const cached = requests.get(name);
      if (!cached || isDecided(cached) || !mayBeApproved(options, requests, cached)) return done;
      const request = await client.resource(certificateSigningRequests).find(name, { signal });
      if (!request || isDecided(request)) return done;
      const subject = await readRequestedSubject(request.spec.request);
      const agent = recognizeAgentRequest(request, subject, signerName);
      if (!subject || !agent) return done;
      const { clusterName } = agent;
      const sent = asSent(request, subject);
      const path = approvalPath(sent, agent, trustedUsers);
      const cluster = await client.resource(managedClusters).find(clusterName, { signal });
      const isLeft = leftToAdministrator(request, cluster);
      if (isLeft) {
        const { why, ...more } = isLeft;
        log.warn(why, { cluster: clusterName, ...more });
        return done;
      }
      if (path === 'none' || (path === 'renewal' && !(await mayRenew(client, sent, signal)))) return done;
      const tokenRefused = (why: string) => {
        log.warn('a join token asks for a certificate that it is not good for', { cluster: clusterName, why });
        return done;
      };
      // Before the permission of an administrator is taken off for it.
      const unusable = path === 'bootstrap' && (await findTokenRefusal(client, sent, { requests, signal }));
      if (unusable) return tokenRefused(unusable);
      if (
        path === 'bootstrap' &&
        !(await mayBootstrap(options, requests, { cluster, keyFingerprint: subject.keyFingerprint, signal }))
      ) {
        log.warn('a bootstrap user asks for the certificate of a cluster that has joined and reports', {
          cluster: clusterName,
          user: sent.spec.username,
          hint: `If its agent lost its credentials, set annotation ${rebootstrapAllowedAnnotation}=true on the ManagedCluster. If requests for several keys are open, approve the right one by hand.`,
        });
        return done;
      }
      const refusal = path === 'bootstrap' && (await claimTokenUse(client, sent, { requests, signal }));
      if (refusal) return tokenRefused(refusal);
      const reason = CertificateSigningRequestReason.Approved.AutoApprovedByHubCSRApprovingController;
      await setApproval(client, request, { type: 'Approved', reason, message }, { now: clock.now(), signal });
      log.info('approved the request of an agent', {
        event: path === 'renewal' ? LogReason.ManagedClusterCsrAutoApproved : LogReason.ManagedClusterAutoApproved,
        cluster: clusterName,
      });
      return done;
    },
  });
}

/** Why only an administrator decides about a request, whoever sent it; undefined if the hub may. */
function leftToAdministrator(
  request: CertificateSigningRequest,
  cluster: ManagedCluster | undefined,
): { readonly why: string; readonly hint?: string } | undefined {
  if (isFromAnotherCluster(request, cluster)) return { why: 'another cluster asks for the certificate of this one' };
  if (!isRenewalWithheld(cluster)) return undefined;
  const hint = `Remove annotation ${Annotation.RenewalWithheld} from the ManagedCluster to permit it.`;
  return { why: 'a cluster whose renewal is withheld asks for a certificate', hint };
}

type Requests = CachedResource<CertificateSigningRequest>;

const openRequestsOf = (requests: Requests, cluster: string): CertificateSigningRequest[] =>
  requests.byIndex(byCluster, cluster).filter((request) => !isDecided(request));

/** The user who sent a request. Its groups are not known without its body. */
const senderOf = ({ asSent = (request) => request }: ApprovalControllerOptions, request: CertificateSigningRequest) =>
  asSent(request, unknownSubject).spec.username;

const unknownSubject: RequestedSubject = {
  commonNames: [],
  organizations: [],
  organizationUnits: [],
  hasAlternativeNames: false,
  keyFingerprint: '',
};

/** Whether the body of a request is worth reading: a trusted user sent it, or the agent of its cluster that has not sent too many. */
function mayBeApproved(
  options: ApprovalControllerOptions,
  requests: Requests,
  cached: CertificateSigningRequest,
): boolean {
  const sender = senderOf(options, cached);
  if (sender !== undefined && options.trustedUsers.has(sender)) return true;
  const cluster = clusterOfAgent(sender);
  if (cluster === undefined || !clusterOf(cached).includes(cluster)) return false;
  // Behind another server than that of the hub all requests are of one user, who is not the agent.
  const requester = requesterOf(cached) ?? '';
  return requester !== sender || undecidedOf(requests, requester) <= maxUndecidedOfAgent;
}

const openNamesOf = (requests: Requests, cluster: string): string[] =>
  openRequestsOf(requests, cluster).map(({ metadata }) => metadata?.name ?? '');

/** Wakes the open requests of a cluster when an administrator withholds its certificates, or no longer does. */
const withheldWatch = (informers: Informers, requests: Requests) =>
  on(
    informers.resource(managedClusters),
    ({ metadata }) => openNamesOf(requests, metadata?.name ?? ''),
    ({ type, object, previous }) => type === 'updated' && isRenewalWithheld(object) !== isRenewalWithheld(previous),
  );

/** Wakes the open requests of a cluster that stops to report, or that an administrator allows a new certificate. */
const clusterWatch = (informers: Informers, requests: Requests) =>
  on(
    informers.resource(managedClusters),
    ({ metadata }) => openNamesOf(requests, metadata?.name ?? ''),
    (change) =>
      change.type !== 'updated' ||
      isReporting(change.object) !== isReporting(change.previous) ||
      isRebootstrapAllowed(change.object) !== isRebootstrapAllowed(change.previous),
  );

/** Wakes the other requests of a cluster when one of them is decided or gone: the one that is left may be the only one. */
const competingWatch = (requests: Requests) =>
  on(
    requests,
    (request) => clusterOf(request).flatMap((cluster) => openNamesOf(requests, cluster)),
    ({ type, object }) => type === 'deleted' || isDecided(object),
  );

/** So many requests for one cluster are not for one key: nobody needs to read them all. */
const maxCompared = 20;

/** Whether another trusted user, or the same one, asks for a certificate of the same cluster for another key. */
async function hasCompetingRequest(
  options: ApprovalControllerOptions,
  requests: Requests,
  { cluster, keyFingerprint, signal }: { cluster: string; keyFingerprint: string; signal: AbortSignal },
): Promise<boolean> {
  const { client, signerName, trustedUsers, asSent = (request) => request } = options;
  const ofTrusted = openRequestsOf(requests, cluster).filter((other) =>
    trustedUsers.has(senderOf(options, other) ?? ''),
  );
  if (ofTrusted.length > maxCompared) return true;
  for (const { metadata } of ofTrusted) {
    const other = await client.resource(certificateSigningRequests).find(metadata?.name ?? '', { signal });
    if (!other || isDecided(other)) continue;
    const subject = await readRequestedSubject(other.spec.request);
    const agent = recognizeAgentRequest(other, subject, signerName);
    if (!subject || !agent || subject.keyFingerprint === keyFingerprint) continue;
    if (approvalPath(asSent(other, subject), agent, trustedUsers) === 'bootstrap') return true;
  }
  return false;
}

interface BootstrapRequest {
  readonly cluster: ManagedCluster | undefined;
  readonly keyFingerprint: string;
  readonly signal: AbortSignal;
}

/**
 * Whether a trusted user may have a certificate of this cluster. Takes the permission of an administrator off, because it is for
 * one; the hub must not guess which one, since every holder of a bootstrap token can have a request waiting for it.
 */
async function mayBootstrap(
  options: ApprovalControllerOptions,
  requests: Requests,
  { cluster, keyFingerprint, signal }: BootstrapRequest,
): Promise<boolean> {
  if (!cluster || !isReporting(cluster)) return true;
  const { name = '', resourceVersion } = cluster.metadata ?? {};
  if (
    !isRebootstrapAllowed(cluster) ||
    (await hasCompetingRequest(options, requests, { cluster: name, keyFingerprint, signal }))
  )
    return false;
  const metadata = { resourceVersion, annotations: { [rebootstrapAllowedAnnotation]: null } };
  await options.client.resource(managedClusters).patch(name, { type: 'merge', body: { metadata } }, { signal });
  return true;
}

/** Whether the sender may renew. The review names no cluster, because the roles in the field grant without a name. */
async function mayRenew(
  client: KubeClient,
  { spec }: CertificateSigningRequest,
  signal: AbortSignal,
): Promise<boolean> {
  const { group, resource, subresource, verb } = Permission.RenewClientCertificate;
  const access = { resourceAttributes: { group, resource, subresource, verb } };
  return (await reviewAccess(client, spec, access, { signal })).allowed;
}
