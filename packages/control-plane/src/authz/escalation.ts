import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '@flotilla/schema';
import type { AdmissionPlugin, AdmissionRequest } from '../contracts/admission.ts';
import type { Attributes, Authorizer } from '../contracts/authorizer.ts';
import { type BindingObject, type PolicyRule, type RoleObject, rbacGroup } from '../contracts/rbac-objects.ts';
import { systemMasters } from '../contracts/user-info.ts';
import { forbidden, notFound } from '../errors/api-errors.ts';
import { goQuote, goQuoteList, joinMessages } from '../errors/go-text.ts';
import { describeMissing, missingRules } from './rule-cover.ts';
import type { RuleResolver } from './rule-resolver.ts';

/** All permissions: a user must hold them to write an aggregation rule, which can select any role. */
const allRules: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/**
 * Prevents privilege escalation: a role may have only rules that its writer has, unless they may `escalate`;
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
      // Messages do not show a name that was generated for this request.
      const isGenerated = given.operation === 'CREATE' && object.metadata?.generateName !== undefined;
      const request = isGenerated ? { ...given, name: '' } : given;
      if (oldObject && changesOnlyMaintenance(object, oldObject)) return;
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
  const error = escalationError(request, role.rules ?? [], resolver);
  if (error !== undefined) throw forbidden(info, name, error);
  if (!aggregates(role) && !(oldRole && aggregates(oldRole))) return;
  if (escalationError(request, allRules, resolver) !== undefined) {
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
  const error = escalationError(request, rules, resolver);
  if (error !== undefined) throw forbidden(info, name, error);
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
function escalationError(
  { user, namespace }: AdmissionRequest,
  wanted: readonly PolicyRule[],
  resolver: RuleResolver,
): string | undefined {
  const { rules, errors } = resolver.rulesFor(user, namespace);
  const missing = missingRules(rules, wanted);
  if (missing.length === 0) return undefined;
  const resolution = errors.length === 0 ? '' : `; resolution errors: [${joinMessages(errors)}]`;
  return `user ${goQuote(user.name)} (groups=${goQuoteList(user.groups)}) is attempting to grant RBAC permissions not currently held:\n${describeMissing(missing)}${resolution}`;
}

/** The garbage collector removes owner references and finalizers without having the rules of the role. */
function changesOnlyMaintenance(next: KubeObject, old: KubeObject): boolean {
  const rest = ({ metadata, ...object }: KubeObject) => {
    const { ownerReferences: _, finalizers: __, managedFields: ___, resourceVersion: ____, ...kept } = metadata ?? {};
    return { ...object, metadata: kept };
  };
  return isDeepStrictEqual(rest(next), rest(old));
}
