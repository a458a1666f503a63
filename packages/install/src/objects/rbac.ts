import { ApiGroup } from '@flotilla/api-types';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding, ServiceAccount } from '@flotilla/kube/kinds';

const apiVersion = `${ApiGroup.Rbac}/v1`;

/** Those to whom a role is granted. */
export type Subjects = NonNullable<RoleBinding['subjects']>;

/** What a role allows. */
export type Rules = NonNullable<ClusterRole['rules']>;

/** A service account with nothing but its name. */
export const serviceAccount = (namespace: string, name: string): ServiceAccount => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, namespace },
});

/** A service account as the subject of a binding. */
export const accountSubject = ({ metadata }: ServiceAccount): Subjects[number] => ({
  kind: 'ServiceAccount',
  name: metadata?.name ?? '',
  namespace: metadata?.namespace ?? '',
});

/** A group as the subject of a binding. */
export const groupSubject = (name: string): Subjects[number] => ({ apiGroup: ApiGroup.Rbac, kind: 'Group', name });

/** A ClusterRole with these rules. */
export const clusterRole = (name: string, rules: Rules): ClusterRole => ({
  apiVersion,
  kind: 'ClusterRole',
  metadata: { name },
  rules,
});

/** Gives a ClusterRole to subjects, on the whole cluster. */
export const clusterRoleBinding = (name: string, role: string, subjects: Subjects): ClusterRoleBinding => ({
  apiVersion,
  kind: 'ClusterRoleBinding',
  metadata: { name },
  roleRef: { apiGroup: ApiGroup.Rbac, kind: 'ClusterRole', name: role },
  subjects,
});

/** A role of the whole cluster, and its binding of the same name. */
export const boundClusterRole = (
  name: string,
  rules: Rules,
  subjects: Subjects,
): readonly [ClusterRole, ClusterRoleBinding] => [clusterRole(name, rules), clusterRoleBinding(name, name, subjects)];

/** A role in a namespace, and its binding of the same name. */
export const boundRole = (
  namespace: string,
  name: string,
  rules: Rules,
  subjects: Subjects,
): readonly [Role, RoleBinding] => [
  { apiVersion, kind: 'Role', metadata: { name, namespace }, rules },
  {
    apiVersion,
    kind: 'RoleBinding',
    metadata: { name, namespace },
    roleRef: { apiGroup: ApiGroup.Rbac, kind: 'Role', name },
    subjects,
  },
];
