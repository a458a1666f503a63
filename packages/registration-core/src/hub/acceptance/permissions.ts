import { ApiGroup, ClusterRoleName, Finalizer, GroupName, Label, RoleName } from '@flotilla/api-types';
import type { ClusterRole, ClusterRoleBinding, Namespace, RoleBinding } from '@flotilla/kube';

type Rules = NonNullable<ClusterRole['rules']>;

/** Accepted clusters may join and report; denied ones may only see that they are denied. */
export type PermissionShape = 'accepted' | 'denied';

const acceptedRules = (cluster: string): Rules => [
  {
    apiGroups: [ApiGroup.Certificates],
    resources: ['certificatesigningrequests'],
    verbs: ['create', 'get', 'list', 'watch'],
  },
  { apiGroups: [ApiGroup.Register], resources: ['managedclusters/clientcertificates'], verbs: ['renew'] },
  {
    apiGroups: [ApiGroup.Cluster],
    resources: ['managedclusters'],
    resourceNames: [cluster],
    verbs: ['get', 'list', 'update', 'watch'],
  },
  {
    apiGroups: [ApiGroup.Cluster],
    resources: ['managedclusters/status'],
    resourceNames: [cluster],
    verbs: ['patch', 'update'],
  },
];

const deniedRules = (cluster: string): Rules => [
  {
    apiGroups: [ApiGroup.Cluster],
    resources: ['managedclusters'],
    resourceNames: [cluster],
    verbs: ['get', 'list', 'watch'],
  },
];

const subjectsOf = (cluster: string) =>
  [GroupName.Cluster.of({ cluster }), GroupName.AwsCluster.of({ cluster })].map((name) => ({
    kind: 'Group',
    apiGroup: ApiGroup.Rbac,
    name,
  }));

const roleRefTo = (name: string) => ({ apiGroup: ApiGroup.Rbac, kind: 'ClusterRole', name });

/** The namespace of a cluster on the hub. */
export const clusterNamespace = (cluster: string, labels: Readonly<Record<string, string>>): Namespace => ({
  metadata: { name: cluster, labels: { ...labels, [Label.ClusterName]: cluster } },
});

/** The keys of what a cluster may do, in the order in which it is made and removed. */
export const permissionKeys = (cluster: string) => ({
  clusterRole: ClusterRoleName.ManagedCluster.of({ cluster }),
  registrationBinding: `${cluster}/${RoleName.ManagedClusterRegistration.of({ cluster })}`,
  workBinding: `${cluster}/${RoleName.ManagedClusterWork.of({ cluster })}`,
});

/** What a cluster may do on the hub outside of its namespace. */
export function clusterPermissions(
  cluster: string,
  shape: PermissionShape,
  extraLabels: Readonly<Record<string, string>>,
): { role: ClusterRole; binding: ClusterRoleBinding } {
  const name = ClusterRoleName.ManagedCluster.of({ cluster });
  const labels = { ...extraLabels, [Label.ClusterName]: cluster };
  const rules = shape === 'accepted' ? acceptedRules(cluster) : deniedRules(cluster);
  return {
    role: { metadata: { name, labels }, rules },
    binding: { metadata: { name, labels }, subjects: subjectsOf(cluster), roleRef: roleRefTo(name) },
  };
}

/** What a cluster may do in its namespace. The binding for works stays until they are gone, so that its agent can finish. */
export function namespacePermissions(
  cluster: string,
  extraLabels: Readonly<Record<string, string>>,
): { registration: RoleBinding; work: RoleBinding } {
  const labels = { ...extraLabels, [Label.ClusterName]: cluster };
  const subjects = subjectsOf(cluster);
  return {
    registration: {
      metadata: { name: RoleName.ManagedClusterRegistration.of({ cluster }), namespace: cluster, labels },
      subjects,
      roleRef: roleRefTo(ClusterRoleName.ManagedClusterRegistration),
    },
    work: {
      metadata: {
        name: RoleName.ManagedClusterWork.of({ cluster }),
        namespace: cluster,
        labels,
        finalizers: [Finalizer.ManifestWorkCleanup],
      },
      subjects,
      roleRef: roleRefTo(ClusterRoleName.ManagedClusterWork),
    },
  };
}
