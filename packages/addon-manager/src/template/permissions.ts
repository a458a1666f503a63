import { createHash } from 'node:crypto';
import type { HubPermission, PermissionBuilder } from '@flotilla/addon-sdk';
import { type AddOnHubPermission, Label, RoleName } from '@flotilla/api-types';

/** Which role a permission binds, and where. */
interface Wanted {
  /** Empty for the namespace of the cluster. */
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
}

function wantedOf({ type, currentCluster, singleNamespace }: AddOnHubPermission): Wanted[] {
  if (type === 'CurrentCluster') {
    return currentCluster ? [{ namespace: '', kind: 'ClusterRole', name: currentCluster.clusterRoleName }] : [];
  }
  if (!singleNamespace) return [];
  const { namespace, roleRef } = singleNamespace;
  return [{ namespace, kind: roleRef.kind, name: roleRef.name }];
}

/**
 * The permissions of a template. The first role of a kind in a namespace is bound under OCM's name, others with a hash of their name after
 * it: OCM would change the role of the one binding, which the API server refuses.
 */
export function templatePermissions(
  addOn: string,
  clusterName: string,
  permissions: readonly AddOnHubPermission[],
  builder: PermissionBuilder,
): HubPermission[] {
  const taken = new Map<string, string>();
  return permissions.flatMap(wantedOf).flatMap(({ namespace, kind, name }): HubPermission[] => {
    const roleKind = kind.toLowerCase();
    if (!isRoleKind(roleKind)) {
      throw new TypeError(`hubPermissions: roleRef.kind is ${JSON.stringify(kind)}; it must be Role or ClusterRole`);
    }
    const usual = RoleName.AddOnTemplateAgent.of({ addOn, roleKind });
    const place = `${namespace || clusterName}/${usual}`;
    const first = taken.get(place) ?? name;
    taken.set(place, first);
    const binding = {
      name: first === name ? usual : `${usual}:${createHash('sha256').update(name).digest('hex').slice(0, 8)}`,
      labels: { [Label.AddOnName]: addOn, [Label.AddOnTemplateName]: '' },
    };
    return [
      namespace
        ? builder.inNamespace(namespace, { kind: roleKind === 'role' ? 'Role' : 'ClusterRole', name }, binding)
        : builder.bindClusterRole(name, binding),
    ];
  });
}

const isRoleKind = (kind: string): kind is 'role' | 'clusterrole' => kind === 'role' || kind === 'clusterrole';
