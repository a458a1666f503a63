import type { CertificateSigningRequest } from '@flotilla/kube/kinds';
import type { AddonContext } from './context.ts';
import type { Awaitable } from './manifest.ts';
import { type HubPermission, type PermissionBuilder, permissions } from './permissions.ts';

/** Who an agent is in its certificate. */
export interface AgentSubject {
  readonly user?: string;
  readonly groups?: readonly string[];
}

/** A certificate request of an agent, as it is on the hub. */
export interface AgentRequest {
  readonly request: CertificateSigningRequest;
  readonly context: AddonContext;
}

/** Whether a request is approved; what is not stays for an administrator. */
export type ApproveRequest = (request: AgentRequest) => Awaitable<boolean>;

/** Answers an approved request with a certificate, PEM. */
export type SignRequest = (request: AgentRequest) => Awaitable<string>;

/** Access to the API of the hub. */
export interface KubeClientRegistration {
  readonly type: 'kubeClient';
  /** The last part of the agent's user name. Default: `<addon>-agent`. */
  readonly agentName?: string;
  /** Instead of the default user and groups. */
  readonly subject?: AgentSubject;
  readonly permissions: readonly HubPermission[];
  /** Default: a request of the cluster itself for the subject of the agent. */
  readonly approve?: ApproveRequest;
}

/** A certificate of another signer. */
export interface CustomSignerRegistration {
  readonly type: 'customSigner';
  /** `domain/name`. Requests to signers of the hub, `kubernetes.io/…` and that of its gRPC server, are never approved as custom ones. */
  readonly signerName: string;
  /** Default: the user and groups of a hub client. */
  readonly subject?: AgentSubject & { readonly organizationUnits?: readonly string[] };
  /** Default: a request of the cluster itself for this subject. */
  readonly approve?: ApproveRequest;
  /** Without it another program signs. */
  readonly sign?: SignRequest;
}

/** One credential that the agents of an add-on need. */
export type RegistrationDeclaration = KubeClientRegistration | CustomSignerRegistration;

/** What `kubeClient` takes. */
export interface KubeClientInput extends Partial<Omit<KubeClientRegistration, 'type' | 'permissions'>> {
  /** What the agents may do on the hub. */
  readonly permissions?: (builder: PermissionBuilder) => HubPermission | readonly HubPermission[];
}

/** Access to the API of the hub, with the permissions that the agent needs there. */
export function kubeClient({ permissions: choose, ...rest }: KubeClientInput = {}): KubeClientRegistration {
  const chosen = choose?.(permissions) ?? [];
  return { type: 'kubeClient', ...rest, permissions: 'type' in chosen ? [chosen] : chosen };
}

/** A certificate of another signer than that of the hub's API. */
export const customSigner = (input: Omit<CustomSignerRegistration, 'type'>): CustomSignerRegistration => ({
  type: 'customSigner',
  ...input,
});
