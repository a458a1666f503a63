import type { ManagedClusterAddOn } from '@flotilla/api-types';
import { joinKey, keyOf, type ObjectKey } from '@flotilla/kube';
import type { Role, RoleBinding, Subject } from '@flotilla/kube/kinds';
import type { AddonDeps } from '../caches/deps.ts';
import { type Comparison, ensure } from '../caches/ensure.ts';
import type { HubPermission } from '../definition/permissions.ts';
import { permissionObjects } from './permission-objects.ts';
import { revokePermissions } from './revoke-permissions.ts';
import { mergeSubjects } from './shared-subjects.ts';

const ofRoles: Comparison<Role> = { content: ({ rules }) => rules };
const ofBindings: Comparison<RoleBinding> = { content: ({ subjects }) => subjects, fixed: ({ roleRef }) => roleRef };

/**
 * Gives the agent of an add-on its permissions, takes back those that it no longer has, and says whether its subject is known. Roles
 * are made without one, too.
 */
export async function applyPermissions(
  { caches: { registration, addons }, ownerType }: Pick<AddonDeps, 'caches' | 'ownerType'>,
  addon: ManagedClusterAddOn,
  permissions: readonly HubPermission[],
  subjects: readonly Subject[],
): Promise<'applied' | 'pending'> {
  if (!registration) return 'applied';
  const { name = '', namespace: cluster = '' } = addon.metadata ?? {};
  const hasAddon = (other: string) => addons.has(joinKey(other, name));
  const wanted = { roles: new Set<ObjectKey>(), bindings: new Set<ObjectKey>() };
  for (const { role, binding, isShared } of permissionObjects(addon, permissions, subjects, await ownerType())) {
    wanted.bindings.add(keyOf(binding));
    if (role) {
      wanted.roles.add(keyOf(role));
      await ensure(registration.roles, role, ofRoles);
    }
    if (subjects.length === 0) continue;
    const present = isShared ? (registration.roleBindings.get(keyOf(binding))?.subjects ?? []) : [];
    const merged = isShared ? { subjects: mergeSubjects(present, subjects, { cluster, hasAddon }) } : {};
    await ensure(registration.roleBindings, { ...binding, ...merged }, ofBindings);
  }
  await revokePermissions({ registration, addons }, addon, wanted);
  return permissions.length > 0 && subjects.length === 0 ? 'pending' : 'applied';
}
