import { GroupName, NamespaceName, ServiceAccountName, Signer, UserName } from '@flotilla/api-types';
import { type RequestedSubject, recognizeAgentRequest } from '@flotilla/driver-csr';
import type { CertificateSigningRequest } from '@flotilla/kube';

/** A certificate request with what was read from its PKCS#10 body. */
export interface ReadRequest {
  readonly request: CertificateSigningRequest;
  readonly subject: RequestedSubject | undefined;
}

/** Which requests to take. */
export interface AcceptFilter {
  /** Common names; empty means whoever asked, if it is only one. */
  readonly requesters: readonly string[];
  /** Also take requests that were not sent by one of the known bootstrap identities. */
  readonly anySender: boolean;
}

/** What to do about the requests of one cluster. */
export type AcceptPlan =
  | {
      readonly kind: 'approve';
      readonly approve: readonly CertificateSigningRequest[];
      readonly approved: readonly string[];
      readonly denied: readonly string[];
    }
  /** Two agents claim the name: a person must say which. */
  | { readonly kind: 'ambiguous'; readonly requesters: readonly string[] };

/** Decides. Requests that are not beyond doubt those of an agent of this cluster are left alone. */
export function planAcceptance(cluster: string, requests: readonly ReadRequest[], filter: AcceptFilter): AcceptPlan {
  const own = requests.flatMap(({ request, subject }) => {
    const agent = recognizeAgentRequest(request, subject, Signer.KubeApiServerClient);
    if (agent?.clusterName !== cluster) return [];
    if (!filter.anySender && !sentByBootstrap(request)) return [];
    return [{ request, requester: agent.commonName }];
  });
  const chosen =
    filter.requesters.length === 0 ? own : own.filter(({ requester }) => filter.requesters.includes(requester));
  const open = chosen.filter(({ request }) => decisionOf(request) === undefined);
  const requesters = [...new Set(open.map(({ requester }) => requester))].sort();
  if (filter.requesters.length === 0 && requesters.length > 1) return { kind: 'ambiguous', requesters };
  const named = (decision: string) =>
    chosen.flatMap(({ request }) => (decisionOf(request) === decision ? [request.metadata?.name ?? ''] : []));
  return {
    kind: 'approve',
    approve: open.map(({ request }) => request),
    approved: named('Approved'),
    denied: named('Denied'),
  };
}

const decisionOf = ({ status }: CertificateSigningRequest): string | undefined =>
  status?.conditions?.find(({ type }) => type === 'Denied' || type === 'Approved')?.type;

const accounts = [
  UserName.ServiceAccount.of({
    namespace: NamespaceName.Operator,
    name: ServiceAccountName.AgentRegistrationBootstrap,
  }),
  UserName.ServiceAccount.of({ namespace: NamespaceName.Hub, name: ServiceAccountName.GrpcServer }),
];

/** Whole names are compared: OCM compares beginnings, which lets in accounts with longer names. */
function sentByBootstrap({ spec }: CertificateSigningRequest): boolean {
  const { username = '', groups = [] } = spec;
  if (UserName.BootstrapToken.parse(username)) return groups.includes(GroupName.Bootstrappers);
  return accounts.includes(username);
}
