import {
  GroupName,
  type ManagedCluster,
  NamespaceName,
  ServiceAccountName,
  Signer,
  UserName,
} from '@flotilla/api-types';
import type { CertificateSigningRequest } from '@flotilla/kube/kinds';
import { type RequestedSubject, recognizeAgentRequest } from '@flotilla/registration-core/certificates';

/** A certificate request with what was read from its PKCS#10 body. */
export interface ReadRequest {
  readonly request: CertificateSigningRequest;
  readonly subject: RequestedSubject | undefined;
}

/** Which requests to take. */
export interface AcceptFilter {
  /** Common names; empty means any, if there is only one. */
  readonly requesters: readonly string[];
  /** Also take requests that were not sent by one of the known bootstrap identities. */
  readonly anySender: boolean;
  /** Only this request, by the name of its CertificateSigningRequest. */
  readonly request?: string;
  /** Only requests for the key with this fingerprint. */
  readonly fingerprint?: string;
}

/** An open request, with what distinguishes it from another one. */
export interface Candidate {
  readonly request: CertificateSigningRequest;
  readonly requester: string;
  readonly fingerprint: string;
}

/** What to do about the requests of one cluster. */
export type AcceptPlan =
  | {
      readonly kind: 'approve';
      readonly approve: readonly CertificateSigningRequest[];
      readonly approved: readonly string[];
      readonly denied: readonly string[];
      /** Open requests of a cluster that has joined and reports: of another cluster, or of an agent that lost its credentials. */
      readonly held: readonly string[];
    }
  /** Different agents or different keys claim the name: an administrator must say which is right. */
  | { readonly kind: 'ambiguous'; readonly candidates: readonly Candidate[] }
  /** No request of an agent of this cluster is the one that was named, or of the requesters that were named. */
  | { readonly kind: 'no-such-request' };

/**
 * Decides. Requests that are not beyond doubt those of an agent of this cluster are left alone. A common name says nothing about who
 * asks, since every holder of a bootstrap token can read and repeat it: only one key gets a certificate, unless one is named.
 */
export function planAcceptance(
  cluster: { readonly name: string; readonly isReporting: boolean },
  requests: readonly ReadRequest[],
  filter: AcceptFilter,
): AcceptPlan {
  const own = requests.flatMap(({ request, subject }): Candidate[] => {
    const agent = signersOf(request)
      .map((signer) => recognizeAgentRequest(request, subject, signer))
      .find(Boolean);
    if (!subject || agent?.clusterName !== cluster.name) return [];
    if (!filter.anySender && !sentByBootstrap(request)) return [];
    return [{ request, requester: agent.commonName, fingerprint: subject.keyFingerprint }];
  });
  const isNamed = filter.request !== undefined || filter.fingerprint !== undefined;
  const chosen = own.filter((candidate) => matches(candidate, filter));
  const isOpen = ({ request }: Candidate) => decisionOf(request) === undefined;
  // Requesters that are not there yet may come, but not while others claim the name.
  const isOthers = filter.requesters.length > 0 && !cluster.isReporting && own.some(isOpen);
  if ((isNamed || isOthers) && chosen.length === 0) return { kind: 'no-such-request' };
  const open = chosen.filter(isOpen);
  const held = cluster.isReporting && !isNamed ? open.map(({ request }) => request.metadata?.name ?? '') : [];
  const approve = held.length > 0 ? [] : open;
  if (isAmbiguous(approve, filter)) return { kind: 'ambiguous', candidates: approve };
  const named = (decision: string) =>
    chosen.flatMap(({ request }) => (decisionOf(request) === decision ? [request.metadata?.name ?? ''] : []));
  return {
    kind: 'approve',
    approve: approve.map(({ request }) => request),
    approved: named('Approved'),
    denied: named('Denied'),
    held,
  };
}

const matches = ({ request, requester, fingerprint }: Candidate, filter: AcceptFilter): boolean =>
  (filter.requesters.length === 0 || filter.requesters.includes(requester)) &&
  (filter.request === undefined || filter.request === request.metadata?.name) &&
  (filter.fingerprint === undefined || filter.fingerprint === fingerprint);

/** One key for each requester that was named; one in all if none was. */
function isAmbiguous(candidates: readonly Candidate[], { requesters }: AcceptFilter): boolean {
  const keys = new Set(candidates.map(({ requester, fingerprint }) => `${requester} ${fingerprint}`));
  const holders = new Set(candidates.map(({ requester }) => requester));
  return keys.size > (requesters.length === 0 ? 1 : holders.size);
}

/** Only the gRPC server sends requests for the signer of the hub itself. */
const signersOf = ({ spec }: CertificateSigningRequest) =>
  spec.username === grpcServerAccount ? [Signer.Grpc, Signer.KubeApiServerClient] : [Signer.KubeApiServerClient];

const decisionOf = ({ status }: CertificateSigningRequest): string | undefined =>
  status?.conditions?.find(({ type }) => type === 'Denied' || type === 'Approved')?.type;

const grpcServerAccount = UserName.ServiceAccount.of({
  namespace: NamespaceName.Hub,
  name: ServiceAccountName.GrpcServer,
});

const accounts = [
  UserName.ServiceAccount.of({
    namespace: NamespaceName.Operator,
    name: ServiceAccountName.AgentRegistrationBootstrap,
  }),
  grpcServerAccount,
];

/** Whole names are compared: OCM compares prefixes, which accepts accounts with longer names. */
function sentByBootstrap({ spec }: CertificateSigningRequest): boolean {
  const { username = '', groups = [] } = spec;
  if (UserName.BootstrapToken.parse(username)) {
    return groups.includes(GroupName.Bootstrappers) || groups.includes(GroupName.RestrictedBootstrappers);
  }
  return accounts.includes(username);
}

/**
 * Whether a request was decided for an earlier cluster of the same name, which was removed since. The agent of this one asks anew, so
 * that an old approval must not pass for an answer to it.
 */
export const isOfEarlierCluster = (
  request: Pick<CertificateSigningRequest, 'metadata' | 'status'>,
  { metadata }: Pick<ManagedCluster, 'metadata'>,
): boolean =>
  (request.status?.conditions ?? []).length > 0 &&
  Date.parse(request.metadata?.creationTimestamp ?? '') < Date.parse(metadata?.creationTimestamp ?? '');
