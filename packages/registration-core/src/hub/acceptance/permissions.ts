import { ApiGroup, ClusterRoleName, Finalizer, Label, RoleName } from '@flotilla/api-types';
import type { ClusterRole, ClusterRoleBinding, Namespace, RoleBinding } from '@flotilla/kube/kinds';
import { semanticEqual } from '@flotilla/kube/meta';
import {
  acceptedAuthAnnotation,
  createdByHubAnnotation,
  type HubDriver,
  type PolicySubject,
} from '../../contract/index.ts';

type Rules = NonNullable<ClusterRole['rules']>;

/** Accepted clusters may join and report; denied ones may only see that they are denied. */
export type PermissionShape = 'accepted' | 'denied';

/** What a driver says about the agents of a cluster. */
type Registering = Pick<HubDriver, 'subjects' | 'clusterRules'>;

const acceptedRules = (cluster: string, drivers: readonly Registering[]): Rules => [
  ...drivers.flatMap((driver) => driver.clusterRules(cluster)),
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

const subjectsOf = (cluster: string, drivers: readonly Registering[]) =>
  uniqueSubjects(drivers.flatMap((driver) => driver.subjects(cluster)));

/** Two drivers may have one group. */
const uniqueSubjects = (subjects: readonly PolicySubject[]): PolicySubject[] =>
  subjects.filter((subject, index) => subjects.findIndex((other) => semanticEqual(other, subject)) === index);

const roleRefTo = (name: string) => ({ apiGroup: ApiGroup.Rbac, kind: 'ClusterRole', name });

/** The namespace of a cluster on the hub. One that is there already gets the label only, so the annotation marks what the hub created. */
export const clusterNamespace = (
  cluster: string,
  labels: Readonly<Record<string, string>>,
  acceptedAuth?: string,
): Namespace => ({
  metadata: {
    name: cluster,
    labels: { ...labels, [Label.ClusterName]: cluster },
    annotations: {
      [createdByHubAnnotation]: cluster,
      ...(acceptedAuth !== undefined && { [acceptedAuthAnnotation]: acceptedAuth }),
    },
  },
});

/** Whether a role is that of an accepted cluster, and not of a denied one. */
export const isAcceptedRole = (cluster: string, { rules }: ClusterRole): boolean =>
  !semanticEqual(rules, deniedRules(cluster));

/** The keys of what a cluster may do, in the order in which it is made and removed. */
export const permissionKeys = (cluster: string) => ({
  clusterRole: ClusterRoleName.ManagedCluster.of({ cluster }),
  registrationBinding: `${cluster}/${RoleName.ManagedClusterRegistration.of({ cluster })}`,
  workBinding: `${cluster}/${RoleName.ManagedClusterWork.of({ cluster })}`,
});

const sharedRoles: ReadonlySet<string> = new Set([
  ClusterRoleName.ManagedClusterRegistration,
  ClusterRoleName.ManagedClusterWork,
]);

/** Whether the ClusterRole of a cluster of this name would be one that the agents of all clusters are bound to. */
export const hasSharedRole = (cluster: string): boolean => sharedRoles.has(permissionKeys(cluster).clusterRole);

/** What permissions depend on besides the cluster. */
export interface PermissionOptions {
  /** Extra labels on what is made for a cluster. */
  readonly labels: Readonly<Record<string, string>>;
  /** Those that the cluster was accepted by. */
  readonly drivers: readonly Registering[];
}

/** What a cluster may do on the hub outside of its namespace. */
export function clusterPermissions(
  cluster: string,
  shape: PermissionShape,
  { labels: extraLabels, drivers }: PermissionOptions,
): { role: ClusterRole; binding: ClusterRoleBinding } {
  const name = ClusterRoleName.ManagedCluster.of({ cluster });
  const labels = { ...extraLabels, [Label.ClusterName]: cluster };
  const rules = shape === 'accepted' ? acceptedRules(cluster, drivers) : deniedRules(cluster);
  return {
    role: { metadata: { name, labels }, rules },
    binding: { metadata: { name, labels }, subjects: subjectsOf(cluster, drivers), roleRef: roleRefTo(name) },
  };
}

/** What a cluster may do in its namespace. The binding for works stays until they are gone, so that its agent can finish. */
export function namespacePermissions(
  cluster: string,
  { labels: extraLabels, drivers }: PermissionOptions,
): { registration: RoleBinding; work: RoleBinding } {
  const labels = { ...extraLabels, [Label.ClusterName]: cluster };
  const subjects = subjectsOf(cluster, drivers);
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
