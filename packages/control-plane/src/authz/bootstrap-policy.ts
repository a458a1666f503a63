import { isDeepStrictEqual } from 'node:util';
import { type Clock, keyOf } from '@flotilla/kube';
import { formatTime } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';
import { type BindingObject, type RoleObject, rbacGroup } from '../contracts/rbac-objects.ts';
import type { Storage } from '../contracts/storage.ts';
import { aggregatedRules } from './aggregation.ts';
import policy from './bootstrap-policy.json' with { type: 'json' };
import { missingRules } from './rule-cover.ts';

export interface BootstrapPolicyOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly newUid: () => string;
}

/** The file as data: the compiler would see one type for each object in it. */
const roleList: readonly object[] = policy.clusterRoles;
const clusterRoles = roleList as readonly RoleObject[];
const roles = policy.roles as readonly RoleObject[];
const clusterRoleBindings: readonly BindingObject[] = policy.clusterRoleBindings;
const autoupdate = 'rbac.authorization.kubernetes.io/autoupdate';

/**
 * Makes sure that the roles and bindings every cluster starts with are there. What an administrator took away from one of them comes
 * back, what they added stays, and one whose annotation `autoupdate` is "false" is left alone: as kube-apiserver does at each start.
 */
export function applyBootstrapPolicy(options: BootstrapPolicyOptions): void {
  const { storage } = options;
  const clusterWide = `${rbacGroup}/clusterroles`;
  const bindings = `${rbacGroup}/clusterrolebindings`;
  for (const role of clusterRoles) reconcile(options, clusterWide, 'ClusterRole', role, mergeRole);
  for (const role of roles) reconcile(options, `${rbacGroup}/roles`, 'Role', role, mergeRole);
  for (const binding of clusterRoleBindings) {
    const present = storage.get(bindings, binding.metadata?.name ?? '');
    // The role of a binding cannot change: one that refers to another is replaced.
    if (present && isManaged(present) && !isDeepStrictEqual((present as BindingObject).roleRef, binding.roleRef)) {
      storage.delete(bindings, binding.metadata?.name ?? '');
    }
    reconcile(options, bindings, 'ClusterRoleBinding', binding, mergeBinding);
  }
  gatherAggregated(storage, clusterWide);
}

const isManaged = ({ metadata }: KubeObject): boolean => metadata?.annotations?.[autoupdate] !== 'false';

function reconcile<T extends KubeObject>(
  { storage, clock, newUid }: BootstrapPolicyOptions,
  resource: string,
  kind: string,
  wanted: T,
  merge: (present: T, wanted: T) => T,
): void {
  const name = keyOf(wanted);
  const present = storage.get(resource, name);
  if (!present) {
    const metadata = { ...wanted.metadata, uid: newUid(), creationTimestamp: formatTime(clock.now()) };
    storage.put(resource, name, { apiVersion: `${rbacGroup}/v1`, kind, ...wanted, metadata });
    return;
  }
  if (!isManaged(present)) return;
  const merged = withMarks(merge(present as T, wanted), wanted);
  if (!isDeepStrictEqual(merged, present)) storage.put(resource, name, merged);
}

/** Labels and annotations of the policy, beside those that others set. */
const withMarks = <T extends KubeObject>(object: T, { metadata }: KubeObject): T => ({
  ...object,
  metadata: {
    ...object.metadata,
    labels: { ...metadata?.labels, ...object.metadata?.labels },
    annotations: { ...metadata?.annotations, ...object.metadata?.annotations },
  },
});

function mergeRole(present: RoleObject, wanted: RoleObject): RoleObject {
  if (wanted.aggregationRule) {
    const own = present.aggregationRule?.clusterRoleSelectors ?? [];
    const added = (wanted.aggregationRule.clusterRoleSelectors ?? []).filter(
      (selector) => !own.some((known) => isDeepStrictEqual(known, selector)),
    );
    return { ...present, aggregationRule: { clusterRoleSelectors: [...own, ...added] } };
  }
  const missing = missingRules(present.rules ?? [], wanted.rules ?? []);
  return missing.length === 0 ? present : { ...present, rules: [...(present.rules ?? []), ...missing] };
}

function mergeBinding(present: BindingObject, wanted: BindingObject): BindingObject {
  const own = present.subjects ?? [];
  const missing = (wanted.subjects ?? []).filter((subject) => !own.some((known) => isDeepStrictEqual(known, subject)));
  return missing.length === 0 ? present : { ...present, subjects: [...own, ...missing] };
}

/** So that admin, edit and view hold something before the first controller runs. They gather from each other, so until nothing changes. */
function gatherAggregated(storage: Storage, resource: string): void {
  for (let changed = true; changed; ) {
    changed = false;
    for (const role of storage.list(resource) as readonly RoleObject[]) {
      const rules = aggregatedRules(role, storage.list(resource) as readonly RoleObject[]);
      if (!rules || isDeepStrictEqual(rules, role.rules ?? [])) continue;
      const gathered: RoleObject = { ...role, rules };
      storage.put(resource, role.metadata?.name ?? '', gathered);
      changed = true;
    }
  }
}
