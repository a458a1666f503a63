import type { ManagedClusterAddOn } from '@flotilla/api-types';
import { joinKey, keyOf, type ObjectKey } from '@flotilla/kube';
import type { Role, RoleBinding, Subject } from '@flotilla/kube/kinds';
import type { AddonDeps } from '../caches/deps.ts';
import { type Comparison, ensure } from '../caches/ensure.ts';
import type { HubPermission } from '../definition/permissions.ts';
import { permissionObjects } from './permission-objects.ts';
import { revokePermissions } from './revoke-permissions.ts';
import { sharedBinding } from './shared-binding.ts';
import { mergeSubjects } from './shared-subjects.ts';

const ofRoles: Comparison<Role> = { content: ({ rules }) => rules };
const ofBindings: Comparison<RoleBinding> = { content: ({ subjects }) => subjects, fixed: ({ roleRef }) => roleRef };
/** Agents of other clusters would lose what they are bound to. */
const ofSharedBindings: Comparison<RoleBinding> = { ...ofBindings, isKept: true };

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
  const { roles, roleBindings } = registration;
  const { name = '', namespace: cluster = '' } = addon.metadata ?? {};
  const hasAddon = (other: string) => addons.has(joinKey(other, name));
  const wanted = { roles: new Set<ObjectKey>(), bindings: new Set<ObjectKey>() };
  for (const objects of permissionObjects(addon, permissions, subjects, await ownerType())) {
    const { role, sharedOtherName } = objects;
    const shared = sharedOtherName && (await sharedBinding(roleBindings, objects.binding, sharedOtherName));
    const { binding } = shared || objects;
    wanted.bindings.add(keyOf(binding));
    if (role) {
      wanted.roles.add(keyOf(role));
      await ensure(roles, role, ofRoles);
    }
    if (subjects.length === 0) continue;
    if (!shared) await ensure(roleBindings, binding, ofBindings);
    else {
      const withSubjects = (present: readonly Subject[]): RoleBinding => ({
        ...binding,
        subjects: mergeSubjects(present, subjects, { cluster, hasAddon }),
      });
      // Another cluster may have written it since it was read: subjects of both must be in it.
      const merge = (existing: RoleBinding) => withSubjects(existing.subjects ?? []);
      await ensure(roleBindings, withSubjects(shared.present), { ...ofSharedBindings, merge });
    }
  }
  await revokePermissions({ registration, addons }, addon, wanted);
  return permissions.length > 0 && subjects.length === 0 ? 'pending' : 'applied';
}
