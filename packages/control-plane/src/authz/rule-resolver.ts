import { joinKey } from '@flotilla/kube';
import {
  type BindingObject,
  type PolicyRule,
  type RbacSubject,
  type RoleObject,
  type RoleRef,
  rbacGroup,
} from '../contracts/rbac-objects.ts';
import type { Storage } from '../contracts/storage.ts';
import type { UserInfo } from '../contracts/user-info.ts';
import { goQuote } from '../errors/go-text.ts';
import { type BindingIndex, boundSubject } from './binding-index.ts';

const roles = `${rbacGroup}/roles`;
const clusterRoles = `${rbacGroup}/clusterroles`;

/** What one binding gives a user: the rules of its role, or the reason why it gives nothing. */
export type Grant =
  | { readonly binding: BindingObject; readonly rules: readonly PolicyRule[] }
  | { readonly binding: BindingObject; readonly error: string };

/** Finds the rules that apply to users. */
export interface RuleResolver {
  /** All grants of a user in a namespace, cluster-wide ones included; without a namespace only those. */
  grants(user: UserInfo, namespace: string | undefined): Iterable<Grant>;
  /** The same as a list of rules, each binding once. */
  rulesFor(
    user: UserInfo,
    namespace: string | undefined,
  ): { readonly rules: readonly PolicyRule[]; readonly errors: readonly string[] };
  /** The rules of a role; undefined if there is no such role. */
  rulesOf(roleRef: RoleRef, namespace: string | undefined): readonly PolicyRule[] | undefined;
}

export function createRuleResolver(storage: Storage, bindings: BindingIndex): RuleResolver {
  const rulesOf: RuleResolver['rulesOf'] = ({ kind, name }, namespace) => {
    const role = kind === 'Role' ? storage.get(roles, joinKey(namespace, name)) : storage.get(clusterRoles, name);
    return role && ((role as RoleObject).rules ?? []);
  };

  const grantOf = (binding: BindingObject): Grant => {
    const { roleRef, metadata } = binding;
    const rules = rulesOf(roleRef, metadata?.namespace);
    if (rules) return { binding, rules };
    return { binding, error: `${roleRef.kind.toLowerCase()}.${rbacGroup} ${goQuote(roleRef.name)} not found` };
  };

  function* grants(user: UserInfo, namespace: string | undefined): Generator<Grant> {
    for (const binding of bindings.of(user, namespace)) yield grantOf(binding);
  }

  return {
    grants,
    rulesOf,
    rulesFor(user, namespace) {
      const all = [...new Set(bindings.of(user, namespace))].map(grantOf);
      return {
        rules: all.flatMap((grant) => ('rules' in grant ? grant.rules : [])),
        errors: all.flatMap((grant) => ('error' in grant ? [grant.error] : [])),
      };
    },
  };
}

/** The binding as the reason of a decision names it. */
export function describeBinding(binding: BindingObject, user: UserInfo): string {
  const { roleRef, metadata } = binding;
  const subject = boundSubject(binding, user);
  const [kind, name] = metadata?.namespace
    ? ['RoleBinding', `${metadata.name}/${metadata.namespace}`]
    : ['ClusterRoleBinding', metadata?.name ?? ''];
  return `${kind} ${goQuote(name)} of ${roleRef.kind} ${goQuote(roleRef.name)} to ${subject ? describeSubject(subject, metadata?.namespace) : 'nobody'}`;
}

const describeSubject = ({ kind, name, namespace }: RbacSubject, bindingNamespace = ''): string =>
  `${kind} ${goQuote(kind === 'ServiceAccount' ? `${name}/${namespace || bindingNamespace}` : name)}`;
