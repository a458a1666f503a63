import { ApiGroup, ClusterRoleName, GroupName, Label } from '@flotilla/api-types';
import { ownerReferenceTo } from '@flotilla/kube';
import { bootstrapTokenSecret, type StoredBootstrapToken } from '@flotilla/kube/bootstrap-token';
import {
  type ClusterRole,
  type ClusterRoleBinding,
  type ConfigMap,
  clusterRoles,
  type Secret,
} from '@flotilla/kube/kinds';
import { type JoinToken, joinTokenRecord, joinTokenRole, joinTokenUser } from '@flotilla/registration-core/contract';
import { bootstrapRules, joinTokenRules } from '@flotilla/registration-core/hub';
import { clusterRole, clusterRoleBinding, groupSubject } from '../objects/rbac.ts';
import type { RegistrationDrivers } from './controllers.ts';

/** Whether a join token is for one cluster, or for a number of uses. Others have the rights of all holders of bootstrap tokens. */
export const isRestricted = ({ clusterName, maxUses }: Pick<JoinToken, 'clusterName' | 'maxUses'>): boolean =>
  clusterName !== undefined || maxUses !== undefined;

/** What holders of tokens that are not restricted may do. An installation without bootstrap tokens lacks it. */
export const bootstrapTokenAccess = (drivers: RegistrationDrivers): readonly [ClusterRole, ClusterRoleBinding] => [
  clusterRole(ClusterRoleName.Bootstrap, bootstrapRules(drivers)),
  clusterRoleBinding(ClusterRoleName.BootstrapTokenBinding, ClusterRoleName.Bootstrap, [
    groupSubject(GroupName.Bootstrappers),
  ]),
];

/** The groups that a join token has beside those that a user chose. */
export function joinTokenGroups(token: Pick<JoinToken, 'clusterName' | 'maxUses'>): string[] {
  if (!isRestricted(token)) return [GroupName.Bootstrappers];
  const { clusterName: cluster } = token;
  return [
    ...(cluster === undefined ? [] : [GroupName.ClusterBootstrappers.of({ cluster })]),
    GroupName.RestrictedBootstrappers,
  ];
}

const labelled = <T extends { metadata?: object }>(id: string, object: T): T => ({
  ...object,
  metadata: { ...object.metadata, labels: { [Label.JoinToken]: id } },
});

/** What the holder of a restricted token may do. It is created first, because it owns the rest: who deletes it revokes the token. */
export const joinTokenClusterRole = (drivers: RegistrationDrivers, token: JoinToken): ClusterRole =>
  labelled(token.id, clusterRole(joinTokenRole(token.id), joinTokenRules(drivers, token)));

/** What the role of a token owns: its binding, its record and the token itself. The token is last, when all that restricts it is there. */
export function joinTokenObjects(
  role: ClusterRole,
  token: JoinToken,
  stored: StoredBootstrapToken,
): readonly [ClusterRoleBinding, ConfigMap, Secret] {
  const ownerReferences = [ownerReferenceTo(clusterRoles, role)];
  const owned = <T extends { metadata?: object }>(object: T): T => ({
    ...object,
    metadata: { ...object.metadata, ownerReferences },
  });
  const name = joinTokenRole(token.id);
  const subject = { apiGroup: ApiGroup.Rbac, kind: 'User', name: joinTokenUser(token.id) };
  return [
    owned(labelled(token.id, clusterRoleBinding(name, name, [subject]))),
    owned(joinTokenRecord(token)),
    owned(bootstrapTokenSecret(stored)),
  ];
}
