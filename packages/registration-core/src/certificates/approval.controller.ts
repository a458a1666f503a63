import {
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
  isReporting,
  type RequestedSubject,
  recognizeAgentRequest,
} from './approval.policy.ts';
import { claimTokenUse, findTokenRefusal } from './join-token-uses.ts';
import { readRequestedSubject } from './requested-subject.ts';

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
  const requests = informers.resource(certificateSigningRequests, { indexes: { [byCluster]: clusterOf } });
  return defineController({
    name: options.name ?? ControllerName.CsrApproving,
    watches: [
      on(requests, undefined, ({ type, object }) => type !== 'deleted' && object.spec.signerName === signerName),
      // Renewals do not depend on how a cluster is.
      ...(trustedUsers.size > 0 ? [clusterWatch(informers, requests), competingWatch(requests)] : []),
    ],
    async reconcile(name, { log, signal }) {
      const request = requests.get(name);
      if (!request || isDecided(request)) return done;
      const subject = await readRequestedSubject(request.spec.request);
      const agent = recognizeAgentRequest(request, subject, signerName);
      if (!subject || !agent) return done;
      const { clusterName } = agent;
      const sent = asSent(request, subject);
      const path = approvalPath(sent, agent, trustedUsers);
      const cluster = await client.resource(managedClusters).find(clusterName, { signal });
      if (isFromAnotherCluster(request, cluster)) {
        log.warn('another cluster asks for the certificate of this one', { cluster: clusterName });
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

const isDecided = ({ status }: CertificateSigningRequest): boolean =>
  status?.conditions?.some(({ type }) => type === 'Approved' || type === 'Denied') === true;

type Requests = CachedResource<CertificateSigningRequest>;

const openRequestsOf = (requests: Requests, cluster: string): CertificateSigningRequest[] =>
  requests.byIndex(byCluster, cluster).filter((request) => !isDecided(request));

const openNamesOf = (requests: Requests, cluster: string): string[] =>
  openRequestsOf(requests, cluster).map(({ metadata }) => metadata?.name ?? '');

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

/** Whether another trusted user, or the same one, asks for a certificate of the same cluster for another key. */
async function hasCompetingRequest(
  { signerName, trustedUsers, asSent = (request) => request }: ApprovalControllerOptions,
  requests: Requests,
  cluster: string,
  keyFingerprint: string,
): Promise<boolean> {
  for (const other of openRequestsOf(requests, cluster)) {
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
  if (!isRebootstrapAllowed(cluster) || (await hasCompetingRequest(options, requests, name, keyFingerprint)))
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
