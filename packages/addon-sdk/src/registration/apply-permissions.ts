import { Label, type ManagedClusterAddOn } from '@flotilla/api-types';
import { joinKey, keyOf } from '@flotilla/kube';
import type { Role, RoleBinding, Subject } from '@flotilla/kube/kinds';
import { semanticEqual } from '@flotilla/kube/meta';
import type { RegistrationCaches } from '../caches/caches.ts';
import type { AddonDeps } from '../caches/deps.ts';
import { type Comparison, ensure } from '../caches/ensure.ts';
import type { HubPermission } from '../definition/permissions.ts';
import { permissionObjects } from './permission-objects.ts';
import { isAbandoned, mergeSubjects } from './shared-subjects.ts';

const ofRoles: Comparison<Role> = { content: ({ rules }) => rules };
const ofBindings: Comparison<RoleBinding> = { content: ({ subjects }) => subjects, fixed: ({ roleRef }) => roleRef };

/** Gives the agent of an add-on its permissions, and says whether its subject is known. Roles are made without one, too. */
export async function applyPermissions(
  { caches: { registration, addons }, ownerType }: Pick<AddonDeps, 'caches' | 'ownerType'>,
  addon: ManagedClusterAddOn,
  permissions: readonly HubPermission[],
  subjects: readonly Subject[],
): Promise<'applied' | 'pending'> {
  if (!registration || permissions.length === 0) return 'applied';
  const { name = '', namespace: cluster = '' } = addon.metadata ?? {};
  for (const { role, binding, isShared } of permissionObjects(addon, permissions, subjects, await ownerType())) {
    if (role) await ensure(registration.roles, role, ofRoles);
    if (subjects.length === 0) continue;
    const present = isShared ? (registration.roleBindings.get(keyOf(binding))?.subjects ?? []) : [];
    const hasAddon = (other: string) => addons.has(joinKey(other, name));
    const merged = isShared ? { subjects: mergeSubjects(present, subjects, { cluster, hasAddon }) } : {};
    await ensure(registration.roleBindings, { ...binding, ...merged }, ofBindings);
  }
  return subjects.length === 0 ? 'pending' : 'applied';
}

/** Takes the agent of a removed add-on out of the bindings that it shared with others; a binding without any goes. */
export async function releaseShared(
  { roleBindings }: Pick<RegistrationCaches, 'roleBindings'>,
  addonName: string,
  cluster: string,
  hasAddon: (cluster: string) => boolean,
): Promise<void> {
  const shared = roleBindings
    .list()
    .filter(
      ({ metadata }) =>
        metadata?.labels?.[Label.AddOnName] === addonName && (metadata.ownerReferences ?? []).length === 0,
    );
  for (const binding of shared) {
    const { subjects = [], metadata } = binding;
    const left = mergeSubjects(subjects, [], { cluster, hasAddon });
    if (left.length === subjects.length) continue;
    if (isAbandoned(left)) await roleBindings.delete(keyOf(binding), { preconditions: { uid: metadata?.uid } });
    else if (!semanticEqual(left, subjects)) await roleBindings.replace({ ...binding, subjects: left });
  }
}
