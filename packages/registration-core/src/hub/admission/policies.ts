import { Annotation, ApiGroup, GroupName, Label, Permission } from '@flotilla/api-types';
import { boundPolicy, type PolicyRules } from '@flotilla/kube/admission';
import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '@flotilla/kube/kinds';
import { dnsLabelPattern } from '@flotilla/schema';
import {
  clusterIdentityAnnotation,
  reservedNameError,
  reservedNameHint,
  reservedNamePattern,
} from '../../contract/index.ts';
import { cannotHost, hostedAnnotations } from './addon.validation.ts';
import { boundElsewhere, nameFormatError } from './cluster.validation.ts';
import { type GuardedAnnotation, guardedAnnotations, refusalOf } from './guarded-annotations.ts';

type Validation = NonNullable<PolicyRules['validations']>[number];

/** A text of CEL. */
const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const updates = "request.operation == 'UPDATE'";
const label = (object: string): string => `${object}.metadata.?labels[?${quoted(Label.ClusterSet)}].orValue('')`;
const annotation = (object: string, key: string): string =>
  `${object}.metadata.?annotations[?${quoted(key)}].orValue('')`;
/** What the old object has; empty if there is none. */
const before = (expression: string): string => `${updates} ? ${expression} : ''`;

/** Whether the requester has a right on the object of this name; both are expressions. */
const may = ({ group, resource, subresource, verb }: typeof Permission.AcceptCluster | Right, name: string): string =>
  `authorizer.group(${quoted(group)}).resource(${quoted(resource)}).subresource(${quoted(subresource)})` +
  `.name(${name}).check(${quoted(verb)}).allowed()`;

type Right = typeof Permission.JoinClusterSet | typeof Permission.BindClusterSet;

/** In the words of the webhooks. `why` is an expression that goes on after the user. */
const forbidden = (
  what: string,
  name: string,
  why: string,
  ...more: string[]
): Pick<Validation, 'messageExpression' | 'reason'> => ({
  reason: 'Forbidden',
  messageExpression: [quoted(`${what} "`), name, quoted(`" is forbidden: ${why}`), ...more].join(' + '),
});

const user = 'request.userInfo.username';
const acceptance = 'managedclusters/accept.cluster.open-cluster-management.io';
const joining = 'managedclustersets/join.cluster.open-cluster-management.io';
const binding = 'managedclustersets/bind.cluster.open-cluster-management.io';
const name = 'variables.name';

/** What changes a guarded annotation, as an expression that is true if nothing does. */
function unchanged({ key, isPrefix, isAllowance }: GuardedAnnotation): string {
  if (isPrefix) {
    const guarded = `key.startsWith(${quoted(key)})`;
    return [
      `(variables.annotations.all(key, !${guarded} || (key in variables.oldAnnotations`,
      'variables.oldAnnotations[key] == variables.annotations[key]))',
      `variables.oldAnnotations.all(key, !${guarded} || key in variables.annotations))`,
    ].join(' && ');
  }
  const [after, old] = [annotation('object', key), `(${before(annotation('oldObject', key))})`];
  return isAllowance ? `!(${after} == 'true' && ${old} != 'true')` : `${after} == ${old}`;
}

const guardedAnnotation = (guard: GuardedAnnotation): Validation => ({
  expression: `${unchanged(guard)} || variables.mayAccept`,
  ...forbidden(acceptance, name, 'user "', user, quoted(`" ${refusalOf(guard)}`)),
});

/** Into or out of a set, which is an expression. */
const guardedSet = (set: string): Validation => ({
  expression: `variables.set == variables.oldSet || ${set} == '' || ${may(Permission.JoinClusterSet, set)}`,
  ...forbidden(
    joining,
    set,
    'user "',
    user,
    quoted('" cannot add/remove a ManagedCluster to/from ManagedClusterSet "'),
    set,
    quoted('"'),
  ),
});

const clusterGroup = GroupName.ClusterBootstrappers.template.replace('{cluster}', '');

/** The holder of a join token for one cluster registers that one and no other. */
const guardedName: Validation = {
  expression: `size(variables.bound) == 0 || (${quoted(clusterGroup)} + ${name}) in variables.bound`,
  ...forbidden('managedclusters.cluster.open-cluster-management.io', name, 'user "', user, quoted(boundElsewhere)),
};

const clusterPolicy: PolicyRules = {
  name: 'managedclusters.policy.cluster.open-cluster-management.io',
  group: ApiGroup.Cluster,
  version: 'v1',
  resource: 'managedclusters',
  variables: [
    { name: 'name', expression: "object.metadata.?name.orValue('')" },
    { name: 'configs', expression: 'object.?spec.?managedClusterClientConfigs.orValue([])' },
    {
      name: 'wrongUrls',
      expression:
        "variables.configs.filter(config, !isURL(config.url) || url(config.url).getScheme() != 'https').map(config, config.url)",
    },
    { name: 'accepted', expression: `${updates} && oldObject.?spec.?hubAcceptsClient.orValue(false)` },
    { name: 'accepts', expression: 'object.?spec.?hubAcceptsClient.orValue(false)' },
    {
      name: 'holder',
      expression: `variables.accepted ? ${annotation('oldObject', clusterIdentityAnnotation)} : ''`,
    },
    { name: 'annotations', expression: 'object.metadata.?annotations.orValue({})' },
    { name: 'oldAnnotations', expression: `${updates} ? oldObject.metadata.?annotations.orValue({}) : {}` },
    { name: 'set', expression: label('object') },
    { name: 'oldSet', expression: before(label('oldObject')) },
    {
      name: 'bound',
      expression: `request.userInfo.?groups.orValue([]).filter(group, group.matches('^${clusterGroup}[a-z0-9-]+$'))`,
    },
    { name: 'mayAccept', expression: may(Permission.AcceptCluster, name) },
  ],
  validations: [
    guardedName,
    {
      expression: 'size(variables.wrongUrls) == 0',
      messageExpression: `'url "' + variables.wrongUrls[0] + '" is invalid in client configs'`,
    },
    {
      // A cluster of a bad name from before this check must stay changeable, or its finalizers could never be removed.
      expression: [
        `${updates} && (size(variables.configs) == 0 || has(object.metadata.deletionTimestamp))`,
        `(size(${name}) <= 63 && ${name}.matches('${dnsLabelPattern}'))`,
      ].join(' || '),
      message: nameFormatError,
    },
    {
      expression: `${updates} || !${name}.matches(${quoted(reservedNamePattern)})`,
      messageExpression: `${reservedNameError('{name}')}. ${reservedNameHint}`
        .split('{name}')
        .map(quoted)
        .join(` + ${name} + `),
    },
    {
      expression: '!variables.accepts || variables.accepted || variables.mayAccept',
      ...forbidden(acceptance, name, 'user "', user, quoted('" cannot update the HubAcceptsClient field')),
    },
    {
      expression: `variables.holder == '' || variables.holder == ${annotation('object', clusterIdentityAnnotation)} || variables.mayAccept`,
      ...forbidden(
        acceptance,
        name,
        'the name is held by the cluster with kube-system uid ',
        'variables.holder',
        quoted(', and user "'),
        user,
        quoted('" cannot give it to another'),
      ),
    },
    ...guardedAnnotations.map(guardedAnnotation),
    guardedSet('variables.oldSet'),
    guardedSet('variables.set'),
  ],
};

const bindingPolicy: PolicyRules = {
  name: 'managedclustersetbindings.policy.cluster.open-cluster-management.io',
  group: ApiGroup.Cluster,
  version: 'v1beta2',
  resource: 'managedclustersetbindings',
  variables: [{ name: 'set', expression: "object.?spec.?clusterSet.orValue('')" }],
  validations: [
    {
      expression: 'object.metadata.name == variables.set',
      message: 'The ManagedClusterSetBinding must have the same name as the target ManagedClusterSet',
    },
    {
      expression: `${updates} || ${may(Permission.BindClusterSet, 'variables.set')}`,
      ...forbidden(
        binding,
        'variables.set',
        'user "',
        user,
        quoted('" is not allowed to bind cluster set "'),
        'variables.set',
        quoted('"'),
      ),
    },
  ],
};

/** The facts of which each must be as before, by the names of their variables: expressions about an object, and what stands for none. */
const hostedFacts: readonly (readonly [name: string, of: (object: string) => string, none: string])[] = [
  ['hosting', (object) => annotation(object, Annotation.HostingClusterName), "''"],
  ['configs', (object) => `${object}.?spec.?configs.orValue([])`, '[]'],
  ['installNamespace', (object) => `${object}.?spec.?installNamespace.orValue('')`, "''"],
  ...Object.entries(hostedAnnotations).map(
    ([name, key]) => [name, (object: string) => annotation(object, key), "''"] as const,
  ),
];

const oldOf = (fact: string): string => `old${fact.charAt(0).toUpperCase()}${fact.slice(1)}`;

const addOnPolicy: PolicyRules = {
  name: 'managedclusteraddons.policy.addon.open-cluster-management.io',
  group: ApiGroup.AddOn,
  version: '*',
  resource: 'managedclusteraddons',
  variables: hostedFacts.flatMap(([name, of, none]) => [
    { name, expression: of('object') },
    { name: oldOf(name), expression: `${updates} ? ${of('oldObject')} : ${none}` },
  ]),
  validations: [
    {
      expression: [
        "variables.hosting == ''",
        `(${hostedFacts.map(([fact]) => `variables.${fact} == variables.${oldOf(fact)}`).join(' && ')})`,
        `authorizer.group(${quoted(ApiGroup.Work)}).resource('manifestworks').namespace(variables.hosting).check('create').allowed()`,
      ].join(' || '),
      ...forbidden(
        'manifestworks.work.open-cluster-management.io',
        'variables.hosting',
        'user "',
        user,
        quoted(cannotHost),
      ),
    },
  ],
};

/**
 * What the webhooks guard, as policies that the API server evaluates by itself: for a hub without a webhook server. They only
 * validate: taints are not stamped and clusters are not put into the default set, and whether a cluster's namespace is terminating
 *is not checked.
 */
export const hubPolicies = (): (ValidatingAdmissionPolicy | ValidatingAdmissionPolicyBinding)[] =>
  [clusterPolicy, bindingPolicy, addOnPolicy].flatMap(boundPolicy);
