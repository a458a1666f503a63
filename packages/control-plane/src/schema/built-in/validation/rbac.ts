import type { KubeObject } from '@flotilla/schema';
import {
  type BindingObject,
  type PolicyRule,
  type RbacSubject,
  type RoleObject,
  type RoleRef,
  rbacGroup,
} from '../../../contracts/rbac-objects.ts';
import type { FieldCause } from '../../../errors/api-errors.ts';
import { dnsSubdomain } from '../../names.ts';

const required = (field: string, why = ''): FieldCause => ({
  reason: 'FieldValueRequired',
  field,
  message: why === '' ? 'Required value' : `Required value: ${why}`,
});

const invalid = (field: string, value: unknown, why: string): FieldCause => ({
  reason: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
});

const unsupported = (field: string, value: string, supported: readonly string[]): FieldCause => ({
  reason: 'FieldValueNotSupported',
  field,
  message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported.map((one) => JSON.stringify(one)).join(', ')}`,
});

/** What the rules of the RBAC kinds forbid beyond their schema; metadata is not validated here. */
export function rbacCauses(kind: string, object: KubeObject, old?: KubeObject): FieldCause[] {
  switch (kind) {
    case 'Role':
      return ruleCauses(object as RoleObject, true);
    case 'ClusterRole':
      return [...ruleCauses(object as RoleObject, false), ...aggregationCauses(object as RoleObject)];
    case 'RoleBinding':
      return bindingCauses(object as BindingObject, ['Role', 'ClusterRole'], old as BindingObject | undefined);
    case 'ClusterRoleBinding':
      return bindingCauses(object as BindingObject, ['ClusterRole'], old as BindingObject | undefined);
    default:
      return [];
  }
}

const ruleCauses = ({ rules }: RoleObject, namespaced: boolean): FieldCause[] =>
  (rules ?? []).flatMap((rule, at) => causesOfRule(rule, namespaced, `rules[${at}]`));

function causesOfRule(rule: PolicyRule, namespaced: boolean, path: string): FieldCause[] {
  const has = (values: readonly string[] | undefined): boolean => (values ?? []).length > 0;
  const causes: FieldCause[] = [];
  if (!has(rule.verbs)) causes.push(required(`${path}.verbs`, 'verbs must contain at least one value'));
  if (has(rule.nonResourceURLs)) {
    const field = `${path}.nonResourceURLs`;
    if (namespaced) {
      causes.push(invalid(field, rule.nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs'));
    }
    if (has(rule.apiGroups) || has(rule.resources) || has(rule.resourceNames)) {
      causes.push(
        invalid(field, rule.nonResourceURLs, 'rules cannot apply to both regular resources and non-resource URLs'),
      );
    }
    return causes;
  }
  if (!has(rule.apiGroups)) {
    causes.push(required(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
  }
  if (!has(rule.resources)) {
    causes.push(required(`${path}.resources`, 'resource rules must supply at least one resource'));
  }
  return causes;
}

const operators = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist']);

function aggregationCauses({ aggregationRule }: RoleObject): FieldCause[] {
  if (!aggregationRule) return [];
  const path = 'aggregationRule.clusterRoleSelectors';
  const selectors = aggregationRule.clusterRoleSelectors ?? [];
  if (selectors.length === 0) {
    return [required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  }
  return selectors.flatMap(({ matchExpressions }, at) => {
    const wrong = (matchExpressions ?? []).flatMap(({ operator }, index) =>
      operators.has(operator)
        ? []
        : [invalid(`${path}[${at}].matchExpressions[${index}].operator`, operator, 'not a valid selector operator')],
    );
    return wrong.length === 0 ? [] : [...wrong, invalid(`${path}[${at}]`, null, 'invalid label selector.')];
  });
}

function bindingCauses(
  { roleRef, subjects }: BindingObject,
  kinds: readonly string[],
  old: BindingObject | undefined,
): FieldCause[] {
  const causes = roleRefCauses(roleRef ?? {}, kinds);
  const namespaced = kinds.includes('Role');
  (subjects ?? []).forEach((subject, at) => {
    causes.push(...subjectCauses(subject, namespaced, `subjects[${at}]`));
  });
  if (old && !sameRole(roleRef, old.roleRef)) {
    const { apiGroup, kind, name } = roleRef;
    causes.push(invalid('roleRef', { APIGroup: apiGroup, Kind: kind, Name: name }, 'cannot change roleRef'));
  }
  return causes;
}

const sameRole = (left: RoleRef, right: RoleRef): boolean =>
  left.apiGroup === right.apiGroup && left.kind === right.kind && left.name === right.name;

function roleRefCauses(
  { apiGroup = '', kind = '', name = '' }: Partial<RoleRef>,
  kinds: readonly string[],
): FieldCause[] {
  const causes: FieldCause[] = [];
  if (apiGroup !== rbacGroup) causes.push(unsupported('roleRef.apiGroup', apiGroup, [rbacGroup]));
  if (!kinds.includes(kind)) causes.push(unsupported('roleRef.kind', kind, kinds));
  if (!name) causes.push(required('roleRef.name'));
  else if (name === '.' || name === '..') causes.push(invalid('roleRef.name', name, `may not be '${name}'`));
  else {
    for (const character of ['/', '%']) {
      if (name.includes(character)) causes.push(invalid('roleRef.name', name, `may not contain '${character}'`));
    }
  }
  return causes;
}

function subjectCauses(subject: Partial<RbacSubject>, namespaced: boolean, path: string): FieldCause[] {
  const { kind = '', name = '', apiGroup = '', namespace } = subject;
  const causes: FieldCause[] = [];
  if (!name) causes.push(required(`${path}.name`));
  if (kind === 'ServiceAccount') {
    if (name) causes.push(...dnsSubdomain(name).map((why) => invalid(`${path}.name`, name, why)));
    if (apiGroup !== '') causes.push(unsupported(`${path}.apiGroup`, apiGroup, ['']));
    if (!namespaced && !namespace) causes.push(required(`${path}.namespace`));
  } else if (kind === 'User' || kind === 'Group') {
    if (apiGroup !== rbacGroup) causes.push(unsupported(`${path}.apiGroup`, apiGroup, [rbacGroup]));
  } else causes.push(unsupported(`${path}.kind`, kind, ['ServiceAccount', 'User', 'Group']));
  return causes;
}
