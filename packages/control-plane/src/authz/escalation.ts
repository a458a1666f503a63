import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '@flotilla/api-types';
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts';
import { systemMasters } from '../authn/user-info.ts';
import { forbidden, notFound } from '../errors/api-errors.ts';
import { goQuote, goQuoteList, joinMessages } from '../errors/go-text.ts';
import type { Attributes, Authorizer } from './authorizer.ts';
import { type BindingObject, type PolicyRule, type RoleObject, rbacGroup } from './policy-rule.ts';
import { describeMissing, missingRules } from './rule-cover.ts';
import type { RuleResolver } from './rule-resolver.ts';

/** All there is: what a user must hold to write an aggregation rule, as that can gather anything. */
const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/**
 * Nobody gives what they do not have: a role may hold only rules its writer holds, unless they may `escalate`;
 * a binding may refer only to such a role, unless they may `bind` it.
 */
export function escalationCheck(authorizer: Authorizer, resolver: RuleResolver): AdmissionPlugin {
  return {
    name: 'RBACEscalation',
    handles: ({ info, operation, subresource }) =>
      info.group === rbacGroup && subresource === undefined && (operation === 'CREATE' || operation === 'UPDATE'),
    validate(given) {
      const { object, oldObject, user, info } = given;
      if (!object || user.groups.includes(systemMasters)) return;
      // Messages do not tell a name that is only just made up.
      const isGenerated = given.operation === 'CREATE' && object.metadata?.generateName !== undefined;
      const request = isGenerated ? { ...given, name: '' } : given;
      if (oldObject && changesOnlyUpkeep(object, oldObject)) return;
      if (info.plural.endsWith('bindings')) checkBinding(request, object as BindingObject, authorizer, resolver);
      else checkRole(request, object, oldObject, authorizer, resolver);
    },
  };
}

function checkRole(
  request: AdmissionRequest,
  role: RoleObject,
  oldRole: RoleObject | undefined,
  authorizer: Authorizer,
  resolver: RuleResolver,
): void {
  const { info, name, operation } = request;
  // A role that is being created has no name yet where permissions are asked for.
  if (may(request, authorizer, 'escalate', info.plural, operation === 'CREATE' ? '' : name)) return;
  const problem = problemOfGranting(request, role.rules ?? [], resolver);
  if (problem !== undefined) throw forbidden(info, name, problem);
  if (!aggregates(role) && !(oldRole && aggregates(oldRole))) return;
  if (problemOfGranting(request, everything, resolver) !== undefined) {
    throw forbidden(info, name, 'must have cluster-admin privileges to use the aggregationRule');
  }
}

const aggregates = ({ aggregationRule }: RoleObject): boolean =>
  (aggregationRule?.clusterRoleSelectors ?? []).length > 0;

function checkBinding(
  request: AdmissionRequest,
  { roleRef }: BindingObject,
  authorizer: Authorizer,
  resolver: RuleResolver,
): void {
  const { info, name, namespace } = request;
  const plural = roleRef.kind === 'Role' ? 'roles' : 'clusterroles';
  if (may(request, authorizer, 'bind', plural, roleRef.name)) return;
  const rules = resolver.rulesOf(roleRef, namespace);
  // The real server says so too: it is the binding's resource that "is not found" under the role's name.
  if (!rules) throw notFound(info, roleRef.name);
  const problem = problemOfGranting(request, rules, resolver);
  if (problem !== undefined) throw forbidden(info, name, problem);
}

function may(
  { user, namespace }: AdmissionRequest,
  authorizer: Authorizer,
  verb: string,
  resource: string,
  name: string,
): boolean {
  const attributes: Attributes = {
    kind: 'resource',
    verb,
    group: rbacGroup,
    version: '*',
    resource,
    name,
    ...(namespace !== undefined && { namespace }),
  };
  return authorizer.authorize(user, attributes).allowed;
}

/** Why the user may not grant these rules; undefined if they hold them all. */
function problemOfGranting(
  { user, namespace }: AdmissionRequest,
  wanted: readonly PolicyRule[],
  resolver: RuleResolver,
): string | undefined {
  const { rules, problems } = resolver.rulesFor(user, namespace);
  const missing = missingRules(rules, wanted);
  if (missing.length === 0) return undefined;
  const trouble = problems.length === 0 ? '' : `; resolution errors: [${joinMessages(problems)}]`;
  return `user ${goQuote(user.name)} (groups=${goQuoteList(user.groups)}) is attempting to grant RBAC permissions not currently held:\n${describeMissing(missing)}${trouble}`;
}

/** The garbage collector takes away owners and finalizers without holding the rules of the role. */
function changesOnlyUpkeep(next: KubeObject, old: KubeObject): boolean {
  const rest = ({ metadata, ...object }: KubeObject) => {
    const { ownerReferences: _, finalizers: __, managedFields: ___, resourceVersion: ____, ...kept } = metadata ?? {};
    return { ...object, metadata: kept };
  };
  return isDeepStrictEqual(rest(next), rest(old));
}
