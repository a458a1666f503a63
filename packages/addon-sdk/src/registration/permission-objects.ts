import { createHash } from 'node:crypto';
import { GroupName, Label, type ManagedClusterAddOn, RoleName } from '@flotilla/api-types';
import { joinKey, ownerReferenceTo } from '@flotilla/kube';
import type { Role, RoleBinding, RoleRef, Subject } from '@flotilla/kube/kinds';
import type { ResourceType } from '@flotilla/schema';
import type { HubPermission } from '../definition/permissions.ts';

/** What a permission is made of on the hub. */
export interface PermissionObjects {
  readonly role?: Role;
  readonly binding: RoleBinding;
  /** Agents of several clusters are subjects of the binding. This is its name where its own is taken for another role. */
  readonly sharedOtherName?: string;
}

const apiGroup = 'rbac.authorization.k8s.io';

/** Roles and bindings of an add-on. Those in the namespace of its cluster go with it. */
export function permissionObjects(
  addon: ManagedClusterAddOn,
  permissions: readonly HubPermission[],
  subjects: readonly Subject[],
  ownerType: ResourceType,
): PermissionObjects[] {
  const { name: addOn = '', namespace: cluster = '' } = addon.metadata ?? {};
  // The group of its agents on all clusters would give each of them what is meant for this one. OCM binds it, too.
  const own = subjects.filter(({ name }) => name !== GroupName.AddOn.of({ addOn }));
  const taken = new Set<string>();
  /** The first binding has the name that OCM gives it; others would collide there, and get a suffix here. */
  const nameFor = (namespace: string, name: string, roleRef: RoleRef): string => {
    const free = taken.has(joinKey(namespace, name)) ? withSuffix(name, roleRef) : name;
    taken.add(joinKey(namespace, free));
    return free;
  };
  const owned = { ownerReferences: [ownerReferenceTo(ownerType, addon, { blockOwnerDeletion: true })] };
  return permissions.map((permission, index): PermissionObjects => {
    const { binding } = permission;
    const labels = { [Label.AddOnName]: addOn, ...binding.labels };
    if (permission.type === 'clusterNamespaceRules') {
      const plain = binding.name ?? `open-cluster-management:${addOn}:agent`;
      const name = nameFor(cluster, plain, { apiGroup, kind: 'Role', name: String(index) });
      const metadata = { name, namespace: cluster, labels, ...owned };
      const roleRef = { apiGroup, kind: 'Role', name };
      return {
        role: { metadata, rules: permission.rules.map((rule) => ({ ...rule })) },
        binding: { metadata, roleRef, subjects: own },
      };
    }
    const isShared = permission.type === 'namespaceRole';
    const namespace = isShared ? permission.namespace : cluster;
    const roleRef = isShared
      ? { apiGroup, kind: permission.roleRef.kind, name: permission.roleRef.name }
      : { apiGroup, kind: 'ClusterRole', name: permission.clusterRole };
    const plain = binding.name ?? RoleName.AddOnTemplateAgent.of({ addOn, roleKind: roleRef.kind.toLowerCase() });
    const name = nameFor(namespace, plain, roleRef);
    // An owner in another namespace does not exist for the garbage collector, and it would delete the binding.
    const metadata = { name, namespace, labels, ...(!isShared && owned) };
    return {
      binding: { metadata, roleRef, subjects: isShared ? [...subjects] : own },
      ...(isShared && { sharedOtherName: withSuffix(plain, roleRef) }),
    };
  });
}

/** The name of a binding to a role, where its plain name is that of a binding to another one. */
const withSuffix = (name: string, { kind, name: role }: RoleRef): string =>
  `${name}-${createHash('sha256').update(`${kind}/${role}`).digest('hex').slice(0, 8)}`;
