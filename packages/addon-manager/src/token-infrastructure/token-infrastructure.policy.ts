import {
  AddOnRegistrationDriverName,
  ApiGroup,
  GroupName,
  Label,
  type ManagedCluster,
  type ManagedClusterAddOn,
  NamespaceName,
  RoleName,
  ServiceAccountName,
} from '@flotilla/api-types';
import type { Role, RoleBinding, ServiceAccount } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';

/** What an add-on needs on the hub so that the agents of its cluster can request tokens for it. */
export interface TokenInfrastructure {
  readonly account: ServiceAccount;
  readonly role: Role;
  readonly binding: RoleBinding;
}

/** Whether the agent of an add-on registers by token. The cluster chooses that for its kubeClient registrations; the first says it. */
export const registersByToken = ({ status }: ManagedClusterAddOn): boolean =>
  status?.registrations?.find(({ type, kubeClient }) => type === 'kubeClient' && kubeClient)?.kubeClient?.driver ===
  AddOnRegistrationDriverName.Token;

/** The name of the add-on whose infrastructure an object is. */
export const addOnOfInfrastructure = ({ metadata }: KubeObject): string | undefined =>
  metadata?.labels?.[Label.TokenInfrastructureAddOn];

/** The server that requests tokens for clusters that register over gRPC. It may request those of add-ons, and no others. */
const grpcServer = (namespace: string) =>
  ({ kind: 'ServiceAccount', name: ServiceAccountName.GrpcServer, namespace }) as const;

/** The agents of clusters that the hub reaches itself. Beside them and the gRPC server no one but the cluster requests tokens. */
const pushAgents = {
  kind: 'ServiceAccount',
  name: ServiceAccountName.PushAgents,
  namespace: NamespaceName.Hub,
} as const;

/** Whether the agent of a cluster runs on the hub. */
export const isPushed = ({ metadata }: ManagedCluster): boolean => metadata?.labels?.[Label.ClusterMode] === 'Push';

/** The service account of an add-on on a cluster, and the right to request its tokens. */
export function tokenInfrastructureOf(
  cluster: string,
  addOn: string,
  {
    pushed = false,
    hubNamespace = NamespaceName.Hub,
  }: { readonly pushed?: boolean; readonly hubNamespace?: string } = {},
): TokenInfrastructure {
  const labels = { [Label.TokenInfrastructure]: 'true', [Label.TokenInfrastructureAddOn]: addOn };
  const account = ServiceAccountName.AddOnAgent.of({ addOn });
  const role = RoleName.AddOnToken.of({ addOn });
  const tokens = { apiGroups: [''], resources: ['serviceaccounts/token'] };
  const group = (name: string) => ({ apiGroup: ApiGroup.Rbac, kind: 'Group', name });
  return {
    account: { metadata: { namespace: cluster, name: account, labels } },
    role: {
      metadata: { namespace: cluster, name: role, labels },
      rules: [
        { ...tokens, resourceNames: [account], verbs: ['create'] },
        // A cluster that registers by gRPC subscribes to its tokens.
        { ...tokens, verbs: ['subscribe'] },
      ],
    },
    binding: {
      metadata: { namespace: cluster, name: role, labels },
      roleRef: { apiGroup: ApiGroup.Rbac, kind: 'Role', name: role },
      subjects: [
        group(GroupName.Cluster.of({ cluster })),
        group(GroupName.AwsCluster.of({ cluster })),
        grpcServer(hubNamespace),
        ...(pushed ? [pushAgents] : []),
      ],
    },
  };
}
