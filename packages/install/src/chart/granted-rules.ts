import type { KubeObject } from '@flotilla/schema';
import type { Rules } from '../objects/rbac.ts';

/** The rules of all roles among objects. Kubernetes lets an operator grant only what it has. */
export const rulesOfRoles = (objects: readonly KubeObject[]): Rules =>
  uniqueRules(
    objects.flatMap((object) =>
      (object.kind === 'ClusterRole' || object.kind === 'Role') && 'rules' in object ? (object.rules as Rules) : [],
    ),
  );

/** Rules without duplicates, in their order. */
export const uniqueRules = (rules: Rules): Rules => [
  ...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values(),
];
