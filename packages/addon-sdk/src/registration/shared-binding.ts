import { type CachedResource, joinKey, keyOf, type ObjectKey } from '@flotilla/kube';
import type { RoleBinding, Subject } from '@flotilla/kube/kinds';
import { semanticEqual } from '@flotilla/kube/meta';

/** A binding that agents of several clusters share, and who is in it now. */
export interface SharedBinding {
  readonly binding: RoleBinding;
  readonly present: readonly Subject[];
}

/**
 * Where agents are bound to a role in a namespace that clusters share: under OCM's name, or under the other one if agents with another
 * version of the add-on are bound to another role there. What a binding binds to cannot be changed, and theirs must stay.
 */
export async function sharedBinding(
  roleBindings: Pick<CachedResource<RoleBinding>, 'get' | 'find'>,
  binding: RoleBinding,
  otherName: string,
): Promise<SharedBinding> {
  // One without our label is not in the cache.
  const find = async (key: ObjectKey) => roleBindings.get(key) ?? (await roleBindings.find(key));
  const existing = await find(keyOf(binding));
  if (!existing || semanticEqual(existing.roleRef, binding.roleRef)) {
    return { binding, present: existing?.subjects ?? [] };
  }
  const other = { ...binding, metadata: { ...binding.metadata, name: otherName } };
  return { binding: other, present: (await find(joinKey(binding.metadata?.namespace, otherName)))?.subjects ?? [] };
}
