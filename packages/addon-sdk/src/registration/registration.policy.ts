import {
  type AddOnRegistration,
  clusterManagementAddOns,
  GroupName,
  type ManagedClusterAddOn,
  ServiceAccountName,
  UserName,
} from '@flotilla/api-types';
import type { Subject } from '@flotilla/kube/kinds';
import type { ConfigDeclarations } from '../definition/config.ts';
import type {
  AgentSubject,
  CustomSignerRegistration,
  KubeClientRegistration,
  RegistrationDeclaration,
} from '../definition/registration.ts';
import { groupOf } from '../manifests/rendered-manifest.ts';

/** An add-on on a cluster, by name. */
export interface AgentScope {
  readonly cluster: string;
  readonly addOn: string;
}

/** Who an agent is unless its definition says otherwise. */
export const defaultSubject = (scope: AgentScope, agent: string): Required<AgentSubject> => ({
  user: UserName.AddOnAgent.of({ ...scope, agent }),
  groups: defaultGroups(scope),
});

/** The groups of agents: of this cluster, and of all. */
export const defaultGroups = ({ cluster, addOn }: AgentScope): string[] => [
  GroupName.ClusterAddOn.of({ cluster, addOn }),
  GroupName.AddOn.of({ addOn }),
];

/** Who the agent of a registration is; a subject that is declared empty is left to the cluster. */
export const declaredSubject = (
  { subject, agentName }: Pick<KubeClientRegistration, 'subject' | 'agentName'>,
  scope: AgentScope,
): AgentSubject => subject ?? defaultSubject(scope, agentName ?? `${scope.addOn}-agent`);

/** Who the agent of a custom signer is told to be. */
export const toldSubject = (
  { subject }: Pick<CustomSignerRegistration, 'subject'>,
  scope: AgentScope,
): NonNullable<CustomSignerRegistration['subject']> => subject ?? defaultSubject(scope, `${scope.addOn}-agent`);

/** Whether an add-on belongs to its ClusterManagementAddOn: before that, nobody has said that it may register. */
export const isOwnedByOffer = ({ metadata }: ManagedClusterAddOn): boolean =>
  (metadata?.ownerReferences ?? []).some(
    ({ kind, name, apiVersion }) =>
      kind === clusterManagementAddOns.kind &&
      groupOf(apiVersion) === clusterManagementAddOns.group &&
      name === metadata?.name,
  );

/** The kinds of configuration, as the status lists them. */
export const supportedConfigs = (declarations: ConfigDeclarations): { group: string; resource: string }[] =>
  Object.values(declarations).map(({ type }) => ({ group: type.group, resource: type.plural }));

/** What the status says about credentials. The cluster chooses how hub clients get theirs, and with tokens also who they are. */
export function registrationsFor(
  declarations: readonly RegistrationDeclaration[],
  existing: readonly AddOnRegistration[],
  scope: AgentScope,
): AddOnRegistration[] {
  const known = existing.filter(({ type }) => type === 'kubeClient').values();
  return declarations.map((declaration): AddOnRegistration => {
    if (declaration.type === 'customSigner') {
      const { signerName } = declaration;
      return {
        type: 'customSigner',
        customSigner: { signerName, subject: wireSubject(toldSubject(declaration, scope)) },
      };
    }
    const present = known.next().value?.kubeClient;
    const subject = subjectFor(declaredSubject(declaration, scope), present, scope);
    return {
      type: 'kubeClient',
      kubeClient: {
        ...(subject && { subject: wireSubject(subject) }),
        ...(present?.driver && { driver: present.driver }),
      },
    };
  });
}

function subjectFor(
  declared: AgentSubject,
  present: AddOnRegistration['kubeClient'],
  scope: AgentScope,
): AgentSubject | undefined {
  if (present?.driver === 'token') return tokenSubject(present.subject, scope);
  const isEmpty = !declared.user && (declared.groups ?? []).length === 0;
  if (present?.driver === 'csr' && isEmpty) return defaultSubject(scope, scope.addOn);
  return isEmpty ? undefined : declared;
}

/**
 * The agent of the cluster writes who its token is for. It is believed only if that is the service account that the hub made for it;
 * otherwise a cluster could have any user or group bound.
 */
function tokenSubject(claimed: AgentSubject | undefined, { cluster, addOn }: AgentScope): AgentSubject | undefined {
  const user = UserName.ServiceAccount.of({ namespace: cluster, name: ServiceAccountName.AddOnAgent.of({ addOn }) });
  const isOwn = claimed?.user === user && (claimed.groups ?? []).length === 0;
  return isOwn ? { user } : undefined;
}

const wireSubject = ({
  user,
  groups,
  organizationUnits,
}: AgentSubject & { readonly organizationUnits?: readonly string[] }) => ({
  ...(user && { user }),
  ...(groups && groups.length > 0 && { groups: [...groups] }),
  ...(organizationUnits && organizationUnits.length > 0 && { organizationUnits: [...organizationUnits] }),
});

const rbacGroup = 'rbac.authorization.k8s.io';

/** Whom permissions are bound to: the users and groups of hub clients, never all authenticated users. */
export function subjectsOf(registrations: readonly AddOnRegistration[]): Subject[] {
  return registrations.flatMap(({ type, kubeClient }): Subject[] => {
    if (type !== 'kubeClient') return [];
    const { user, groups = [] } = kubeClient?.subject ?? {};
    return [
      ...(user ? [{ apiGroup: rbacGroup, kind: 'User', name: user }] : []),
      ...groups
        .filter((group) => group !== GroupName.Authenticated)
        .map((name) => ({ apiGroup: rbacGroup, kind: 'Group', name })),
    ];
  });
}
