import type { Field } from '../../field.ts';
import { validateLabelSelector } from '../../metadata.ts';
import { dns1035Label, dnsSubdomain, pathSegment } from '../../names.ts';
import { validateExpressions } from './policy-expressions.ts';
import { validateRule } from './webhooks.ts';

/** The rules of a ValidatingAdmissionPolicy. */
export function validateAdmissionPolicy(policy: Field): void {
  const spec = policy.at('spec');
  requiredEnum(spec.at('failurePolicy'), ['Fail', 'Ignore']);
  if (spec.at('paramKind').present) validateParamKind(spec.at('paramKind'));
  const constraints = spec.at('matchConstraints');
  if (!constraints.present) constraints.required();
  else {
    validateMatchResources(constraints);
    if (constraints.at('resourceRules').list.length === 0) constraints.at('resourceRules').required();
  }
  validateExpressions(policy);
}

/** The rules of a ValidatingAdmissionPolicyBinding. */
export function validateAdmissionPolicyBinding(binding: Field): void {
  const spec = binding.at('spec');
  const name = spec.at('policyName');
  if (name.text === '') name.required();
  else name.check(dnsSubdomain);
  if (spec.at('paramRef').present) validateParamRef(spec.at('paramRef'));
  if (spec.at('matchResources').present) validateMatchResources(spec.at('matchResources'));
  validateActions(spec.at('validationActions'));
}

function requiredEnum(field: Field, values: readonly string[]): void {
  if (!field.present) field.required();
  else if (!values.includes(field.text)) field.notSupported(values);
}

function validateParamKind(paramKind: Field): void {
  const apiVersion = paramKind.at('apiVersion');
  if (apiVersion.text === '') apiVersion.required();
  else if (apiVersion.text.split('/').length > 2) {
    apiVersion.invalid(`unexpected GroupVersion string: ${apiVersion.text}`);
  } else {
    const [version = '', group = ''] = apiVersion.text.split('/').reverse();
    const reportInvalid = (errors: readonly string[], shown: string) => {
      if (errors.length > 0) apiVersion.invalid(errors.join(','), shown);
    };
    if (group !== '') reportInvalid(dnsSubdomain(group), group);
    if (version === '') apiVersion.invalid('version must be specified');
    else reportInvalid(dns1035Label(version), version);
  }
  const kind = paramKind.at('kind');
  if (kind.text === '') kind.required();
  else {
    const errors = dns1035Label(kind.text.toLowerCase());
    if (errors.length > 0) {
      kind.invalid(`may have mixed case, but should otherwise match: ${errors.join(',')}`);
    }
  }
}

function validateMatchResources(constraints: Field): void {
  requiredEnum(constraints.at('matchPolicy'), ['Equivalent', 'Exact']);
  for (const name of ['namespaceSelector', 'objectSelector']) validateLabelSelector(constraints.at(name));
  const rules = [...constraints.at('resourceRules').items(), ...constraints.at('excludeResourceRules').items()];
  for (const rule of rules) {
    const names = new Set<string>();
    for (const name of rule.at('resourceNames').items()) {
      name.check(pathSegment);
      if (names.has(name.text)) name.duplicate();
      names.add(name.text);
    }
    validateRule(rule);
  }
}

function validateParamRef(ref: Field): void {
  const [name, selector, action] = [ref.at('name'), ref.at('selector'), ref.at('parameterNotFoundAction')];
  const exclusive = 'name and selector are mutually exclusive';
  if (name.text !== '') {
    name.check(pathSegment);
    if (selector.present) name.forbidden(exclusive);
  }
  if (selector.present) {
    validateLabelSelector(selector);
    if (name.text !== '') selector.forbidden(exclusive);
  }
  if (name.text === '' && !selector.present) ref.required('one of name or selector must be specified');
  if (action.text === '') action.required();
  else if (!['Allow', 'Deny'].includes(action.text)) action.notSupported(['Deny', 'Allow']);
}

function validateActions(actions: Field): void {
  const seen = new Set<string>();
  for (const action of actions.items()) {
    if (!['Audit', 'Deny', 'Warn'].includes(action.text)) action.notSupported(['Audit', 'Deny', 'Warn']);
    if (seen.has(action.text)) action.duplicate();
    seen.add(action.text);
  }
  if (seen.has('Deny') && seen.has('Warn')) {
    actions.invalid(
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
    );
  }
  if (seen.size === 0) actions.required('at least one validation action is required');
}
