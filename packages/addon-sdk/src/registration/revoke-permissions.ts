import { Label, type ManagedClusterAddOn } from '@flotilla/api-types';
import { type CachedResource, isAbsence, joinKey, keyOf, type ObjectKey } from '@flotilla/kube';
import type { RoleBinding } from '@flotilla/kube/kinds';
import { semanticEqual } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';
import { byOwner, byShared, type RegistrationCaches } from '../caches/caches.ts';
import type { AddonDeps } from '../caches/deps.ts';
import { isAbandoned, mergeSubjects } from './shared-subjects.ts';

/** Keys of the objects that an add-on needs on one cluster. */
export interface WantedKeys {
  readonly roles: ReadonlySet<ObjectKey>;
  readonly bindings: ReadonlySet<ObjectKey>;
}

/** Takes back what an add-on was given on a cluster by an earlier version of its definition. Bindings go before the roles that they bind. */
export async function revokePermissions(
  { registration, addons }: Pick<AddonDeps['caches'], 'addons'> & { readonly registration: RegistrationCaches },
  addon: ManagedClusterAddOn,
  wanted: WantedKeys,
): Promise<void> {
  const { name = '', namespace: cluster = '', uid = '' } = addon.metadata ?? {};
  const { roleBindings, roles } = registration;
  const isOf = ({ metadata }: KubeObject) => metadata?.labels?.[Label.AddOnName] === name;
  for (const binding of roleBindings.byIndex(byOwner, uid)) {
    if (isOf(binding) && !wanted.bindings.has(keyOf(binding))) await remove(roleBindings, binding);
  }
  for (const role of roles.byIndex(byOwner, uid)) {
    if (isOf(role) && !wanted.roles.has(keyOf(role))) await remove(roles, role);
  }
  const hasAddon = (other: string) => addons.has(joinKey(other, name));
  await releaseShared(registration, name, cluster, hasAddon, wanted.bindings);
}

/** Takes the agent of a cluster out of the bindings that it shares with others, except for some; a binding without any agent goes. */
export async function releaseShared(
  { roleBindings }: Pick<RegistrationCaches, 'roleBindings'>,
  addonName: string,
  cluster: string,
  hasAddon: (cluster: string) => boolean,
  except: ReadonlySet<ObjectKey> = new Set(),
): Promise<void> {
  for (const binding of roleBindings.byIndex(byShared, addonName)) {
    if (except.has(keyOf(binding))) continue;
    const { subjects = [] } = binding;
    const left = mergeSubjects(subjects, [], { cluster, hasAddon });
    if (left.length === subjects.length) continue;
    if (isAbandoned(left)) await remove(roleBindings, binding);
    else if (!semanticEqual(left, subjects)) await replace(roleBindings, { ...binding, subjects: left });
  }
}

/** The cache may not know yet what an earlier reconcile has done. */
async function unlessGone(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isAbsence(error)) throw error;
  }
}

const remove = <T extends KubeObject>(cache: Pick<CachedResource<T>, 'delete'>, object: T): Promise<void> =>
  unlessGone(cache.delete(keyOf(object), { preconditions: { uid: object.metadata?.uid } }));

const replace = (cache: Pick<CachedResource<RoleBinding>, 'replace'>, binding: RoleBinding): Promise<void> =>
  unlessGone(cache.replace(binding));
