import { isDeepStrictEqual } from 'node:util';
import { matchesLabels } from '@flotilla/kube/meta';
import type { PolicyRule, RoleObject } from '../contracts/rbac-objects.ts';

/**
 * The rules a ClusterRole with an aggregation rule should have: those of all others that its selectors choose, selector by selector,
 * roles by name, each rule once. Undefined for a role that aggregates nothing.
 */
export function aggregatedRules(role: RoleObject, clusterRoles: readonly RoleObject[]): PolicyRule[] | undefined {
  const selectors = role.aggregationRule?.clusterRoleSelectors;
  if (!selectors) return undefined;
  const others = clusterRoles
    .filter((other) => other.metadata?.name !== role.metadata?.name)
    .sort((left, right) => ((left.metadata?.name ?? '') < (right.metadata?.name ?? '') ? -1 : 1));
  const rules: PolicyRule[] = [];
  for (const selector of selectors) {
    for (const other of others) {
      if (!matchesLabels(selector, other.metadata?.labels ?? {})) continue;
      for (const rule of other.rules ?? []) {
        if (!rules.some((known) => isDeepStrictEqual(known, rule))) rules.push(rule);
      }
    }
  }
  return rules;
}
