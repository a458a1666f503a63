import {
  Annotation,
  GroupName,
  Label,
  type ManagedCluster,
  NamespaceName,
  ServiceAccountName,
  Signer,
  UserName,
} from '@flotilla/api-types';
import type { CertificateSigningRequest } from '@flotilla/kube/kinds';
import { decodeCertificateRequest } from '@flotilla/kube/pki';
import type { KubeClientRegistration, RegistrationDeclaration } from '../definition/registration.ts';
import {
  type AgentScope,
  declaredSubject,
  defaultGroups,
  defaultSubject,
} from '../registration/registration.policy.ts';

/** The add-on that a request is for; undefined if it is not one of an agent. */
export function scopeOf({ metadata }: CertificateSigningRequest): AgentScope | undefined {
  const cluster = metadata?.labels?.[Label.ClusterName];
  const addOn = metadata?.labels?.[Label.AddOnName];
  return cluster && addOn && metadata.name?.startsWith('addon') ? { cluster, addOn } : undefined;
}

/** Whether nobody has approved or denied a request. */
export const isUndecided = ({ status }: CertificateSigningRequest): boolean =>
  !(status?.conditions ?? []).some(({ type }) => type === 'Approved' || type === 'Denied');

/** Whether a request is approved and waits for its certificate. */
export const isUnsigned = ({ status }: CertificateSigningRequest): boolean =>
  !status?.certificate && (status?.conditions ?? []).some(({ type }) => type === 'Approved');

/**
 * Whether certificates of a signer say who somebody is on the hub: to its API server, its nodes or its gRPC server. No add-on approves
 * or signs such as those of a signer of its own.
 */
const isHubSigner = (signerName: string): boolean =>
  signerName.startsWith('kubernetes.io/') || signerName === Signer.Grpc;

/** What a definition declares about a request, by its signer. */
export const declarationFor = (
  declarations: readonly RegistrationDeclaration[],
  { spec }: CertificateSigningRequest,
): RegistrationDeclaration | undefined =>
  declarations.find((one) =>
    one.type === 'kubeClient'
      ? spec.signerName === Signer.KubeApiServerClient
      : spec.signerName === one.signerName && !isHubSigner(spec.signerName),
  );

const accountOfHub = (name: string): string => UserName.ServiceAccount.of({ namespace: NamespaceName.Hub, name });
const grpcServer = accountOfHub(ServiceAccountName.GrpcServer);
const pushAgents = accountOfHub(ServiceAccountName.PushAgents);

/** The add-on that a request is for, and whether its cluster is one that the hub reaches by itself. */
export interface RequestScope extends AgentScope {
  readonly isPushed: boolean;
}

/** What a request is for, as its labels and the cluster say. */
export const requestScope = (scope: AgentScope, { metadata }: ManagedCluster): RequestScope => ({
  ...scope,
  isPushed: metadata?.labels?.[Label.ClusterMode] === 'Push',
});

/**
 * Whether the agent of the cluster itself sent a request. The gRPC server sends those of its clusters in its own name. So does what runs
 * the agents of pushed clusters, and for these only: no other cluster has an agent of it.
 */
export function isFromCluster(
  { metadata, spec }: CertificateSigningRequest,
  { cluster, isPushed }: RequestScope,
): boolean {
  if (isPushed && spec.username === pushAgents) return true;
  const user = spec.username === grpcServer ? metadata?.annotations?.[Annotation.CsrUser] : spec.username;
  const identity = GroupName.Cluster.of({ cluster });
  // With the colon: c1 is not c10.
  return user === identity || user?.startsWith(`${identity}:`) === true;
}

/** One block and nothing around it: in any other text a signer might find another request than the one that was checked. */
const onlyBlock = /^-----BEGIN CERTIFICATE REQUEST-----\r?\n([A-Za-z0-9+/=\r\n]+)-----END CERTIFICATE REQUEST-----\s*$/;

/** A PKCS#10 request. */
export type DecodedRequest = Awaited<ReturnType<typeof decodeCertificateRequest>>;

/** The PKCS#10 request in a CertificateSigningRequest; undefined if it cannot be read. */
export async function decodeRequest({ spec }: CertificateSigningRequest): Promise<DecodedRequest | undefined> {
  const [, body] = onlyBlock.exec(Buffer.from(spec.request, 'base64').toString('utf8')) ?? [];
  if (body === undefined) return undefined;
  return decodeCertificateRequest(body).catch(() => undefined);
}

/** Whether a request is one that the agent of a hub client makes: from its cluster, for its own user and groups. */
export async function isAgentRequest(
  request: CertificateSigningRequest,
  declaration: Pick<KubeClientRegistration, 'subject' | 'agentName'>,
  scope: RequestScope,
): Promise<boolean> {
  if (!isFromCluster(request, scope)) return false;
  const subjectName = (await decodeRequest(request))?.subjectName;
  if (!subjectName) return false;
  const { user = defaultSubject(scope, scope.addOn).user, groups = defaultGroups(scope) } = declaredSubject(
    declaration,
    scope,
  );
  const organizations = new Set(subjectName.getField('O'));
  const others = [...organizations].filter((group) => !groups.includes(group));
  // Older agents also ask for the group of all authenticated users.
  const isKnown = others.every((group) => group === GroupName.Authenticated);
  const names = subjectName.getField('CN');
  return names.length === 1 && names[0] === user && isKnown && groups.every((group) => organizations.has(group));
}
