import type { HubPermission, PermissionBuilder } from '@flotilla/addon-sdk';
import { type AddOnHubPermission, Label } from '@flotilla/api-types';

const roleKinds = ['Role', 'ClusterRole'] as const;

/** The permissions of a template, each once. Bindings have OCM's names and the label by which those of templates are known. */
export function templatePermissions(
  permissions: readonly AddOnHubPermission[],
  builder: PermissionBuilder,
): HubPermission[] {
  const binding = { labels: { [Label.AddOnTemplateName]: '' } };
  const known = new Map<string, HubPermission>();
  for (const { type, currentCluster, singleNamespace } of permissions) {
    if (type === 'CurrentCluster' && currentCluster) {
      const { clusterRoleName } = currentCluster;
      known.set(JSON.stringify([clusterRoleName]), builder.bindClusterRole(clusterRoleName, binding));
    }
    if (type === 'SingleNamespace' && singleNamespace) {
      const { namespace, roleRef } = singleNamespace;
      const kind = roleKinds.find((one) => one === roleRef.kind);
      if (!kind) {
        const given = JSON.stringify(roleRef.kind);
        throw new TypeError(`hubPermissions: roleRef.kind is ${given}; it must be Role or ClusterRole`);
      }
      const { name } = roleRef;
      known.set(JSON.stringify([namespace, kind, name]), builder.inNamespace(namespace, { kind, name }, binding));
    }
  }
  return [...known.values()];
}
