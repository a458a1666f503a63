import {
  ApiGroup,
  ClusterRoleName,
  ConfigMapName,
  GroupName,
  type KubeObject,
  NamespaceName,
  ServiceAccountName,
} from '@flotilla/api-types';
import type { ClusterRole, ClusterRoleBinding, Namespace, Role, RoleBinding, ServiceAccount } from '@flotilla/kube';

const rbac = 'rbac.authorization.k8s.io';
const account = {
  kind: 'ServiceAccount',
  name: ServiceAccountName.AgentRegistrationBootstrap,
  namespace: NamespaceName.Operator,
};

/** Label on everything that the command line makes on a hub, so that `clean` finds it. */
export const madeByCli = { 'app.kubernetes.io/managed-by': 'flotilla-cli' };

/** Whether the command line made it. */
export const isMadeByCli = ({ metadata }: KubeObject): boolean =>
  Object.entries(madeByCli).every(([key, value]) => metadata?.labels?.[key] === value);

const namespace = (name: string): Namespace => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: madeByCli },
});

const serviceAccount: ServiceAccount = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: account.name, namespace: account.namespace, labels: madeByCli },
};

/** What a cluster may do before it is accepted: ask to join and look at the answer. No Secret, and ConfigMaps only by name. */
const bootstrapRole: ClusterRole = {
  apiVersion: `${rbac}/v1`,
  kind: 'ClusterRole',
  metadata: { name: ClusterRoleName.Bootstrap, labels: madeByCli },
  rules: [
    {
      apiGroups: ['certificates.k8s.io'],
      resources: ['certificatesigningrequests'],
      verbs: ['create', 'get', 'list', 'watch'],
    },
    { apiGroups: [ApiGroup.Cluster], resources: ['managedclusters'], verbs: ['get', 'create', 'list', 'watch'] },
    { apiGroups: [ApiGroup.Cluster], resources: ['managedclustersets/join'], verbs: ['create'] },
  ],
};

const bootstrapBinding: ClusterRoleBinding = {
  apiVersion: `${rbac}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name: ClusterRoleName.BootstrapServiceAccountBinding, labels: madeByCli },
  roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: ClusterRoleName.Bootstrap },
  subjects: [account],
};

const reader = (name: string, namespaceName: string, resourceNames: string[]): Role => ({
  apiVersion: `${rbac}/v1`,
  kind: 'Role',
  metadata: { name, namespace: namespaceName, labels: madeByCli },
  rules: [{ apiGroups: [''], resources: ['configmaps'], resourceNames, verbs: ['get'] }],
});

const readers = (role: Role, subjects: NonNullable<RoleBinding['subjects']>): RoleBinding => ({
  apiVersion: `${rbac}/v1`,
  kind: 'RoleBinding',
  metadata: { name: role.metadata?.name, namespace: role.metadata?.namespace, labels: madeByCli },
  roleRef: { apiGroup: rbac, kind: 'Role', name: role.metadata?.name ?? '' },
  subjects,
});

const hubEndpoint = reader('open-cluster-management:bootstrap:hub-endpoint', NamespaceName.KubePublic, [
  ConfigMapName.ClusterInfo,
  ConfigMapName.RootCa,
]);
const caBundle = reader('open-cluster-management:bootstrap:ca-bundle', NamespaceName.Hub, [ConfigMapName.CaBundle]);
/** Anybody may read where the hub is and its CA, as on clusters of kubeadm: joining clusters check it by the hash they were told. */
const clusterInfoReader = reader('open-cluster-management:cluster-info', NamespaceName.KubePublic, [
  ConfigMapName.ClusterInfo,
]);

/** Lets clusters ask to join: namespaces, the service account whose token they are given, and what it may do. */
export const bootstrapObjects = (): KubeObject[] => [
  namespace(NamespaceName.Operator),
  namespace(NamespaceName.Hub),
  serviceAccount,
  bootstrapRole,
  bootstrapBinding,
  hubEndpoint,
  readers(hubEndpoint, [account]),
  caBundle,
  readers(caBundle, [account]),
  clusterInfoReader,
  readers(clusterInfoReader, [
    { apiGroup: rbac, kind: 'Group', name: 'system:unauthenticated' },
    { apiGroup: rbac, kind: 'Group', name: GroupName.Authenticated },
  ]),
];
