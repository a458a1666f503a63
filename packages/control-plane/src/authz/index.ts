export { aggregatedRules } from './aggregation.ts';
export type { Attributes, Authorizer, Decision } from './authorizer.ts';
export { createRbac, type Rbac, type RbacOptions } from './create-rbac.ts';
export type { BindingObject, PolicyRule, RbacSubject, RoleObject, RoleRef } from './policy-rule.ts';
export { rbacCauses } from './validation.ts';
