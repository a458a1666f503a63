import {
  CertificateSigningRequestReason,
  ControllerName,
  LogReason,
  managedClusters,
  Permission,
} from '@flotilla/api-types';
import {
  type CertificateSigningRequest,
  type Clock,
  type Controller,
  certificateSigningRequests,
  defineController,
  done,
  type Informers,
  type KubeClient,
  on,
  setApproval,
  subjectAccessReviews,
} from '@flotilla/kube';
import { approvalPath, isFromAnotherCluster, recognizeAgentRequest } from './approval.policy.ts';
import { readRequestedSubject } from './requested-subject.ts';

/** What the approval of requests needs. */
export interface ApprovalControllerOptions {
  readonly client: KubeClient;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly signerName: string;
  /** Users whose first requests are approved without a person; empty unless the gate is on. */
  readonly trustedUsers: ReadonlySet<string>;
}

const message = 'Auto approving Managed cluster agent certificate after SubjectAccessReview.';

/** Approves renewals by agents that may renew, and first requests of trusted users. Never denies: what it does not know is for people. */
export function approvalController(options: ApprovalControllerOptions): Controller {
  const { client, informers, clock, signerName, trustedUsers } = options;
  const requests = informers.resource(certificateSigningRequests);
  return defineController({
    name: ControllerName.CsrApproving,
    watches: [
      on(requests, undefined, ({ type, object }) => type !== 'deleted' && object.spec.signerName === signerName),
    ],
    async reconcile(name, { log, signal }) {
      const request = requests.get(name);
      if (!request || isDecided(request)) return done;
      const agent = recognizeAgentRequest(request, await readRequestedSubject(request.spec.request), signerName);
      if (!agent) return done;
      const path = approvalPath(request, agent, trustedUsers);
      if (isFromAnotherCluster(request, await client.resource(managedClusters).find(agent.clusterName, { signal }))) {
        log.warn('another cluster asks for the certificate of this one', { cluster: agent.clusterName });
        return done;
      }
      if (path === 'none' || (path === 'renewal' && !(await mayRenew(client, request, signal)))) return done;
      const reason = CertificateSigningRequestReason.Approved.AutoApprovedByHubCSRApprovingController;
      await setApproval(client, request, { type: 'Approved', reason, message }, { now: clock.now(), signal });
      log.info('approved the request of an agent', {
        event: path === 'renewal' ? LogReason.ManagedClusterCsrAutoApproved : LogReason.ManagedClusterAutoApproved,
        cluster: agent.clusterName,
      });
      return done;
    },
  });
}

const isDecided = ({ status }: CertificateSigningRequest): boolean =>
  status?.conditions?.some(({ type }) => type === 'Approved' || type === 'Denied') === true;

/** Whether the sender may renew. The review names no cluster, because the roles in the field grant without a name. */
async function mayRenew(
  client: KubeClient,
  { spec }: CertificateSigningRequest,
  signal: AbortSignal,
): Promise<boolean> {
  const { group, resource, subresource, verb } = Permission.RenewClientCertificate;
  const { username: user, uid, groups, extra } = spec;
  const review = await client.resource(subjectAccessReviews).create(
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user, uid, groups, extra, resourceAttributes: { group, resource, subresource, verb } },
    },
    { signal },
  );
  return review.status?.allowed === true;
}
