import type { Field } from '../../field.ts';
import { validateLabelSelector } from '../../metadata.ts';
import { dnsLabel, labelValue, qualifiedName } from '../../names.ts';

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Where a pod wants to run, by nodes and by other pods. */
export function validateAffinity(affinity: Field): void {
  const node = affinity.at('nodeAffinity');
  if (node.at(required).present) validateNodeSelector(node.at(required));
  for (const term of node.at(preferred).items()) {
    validateWeight(term);
    validateNodeTerm(term.at('preference'));
  }
  for (const kind of ['podAffinity', 'podAntiAffinity']) {
    for (const term of affinity.at(kind).at(required).items()) validatePodTerm(term);
    for (const term of affinity.at(kind).at(preferred).items()) {
      validateWeight(term);
      validatePodTerm(term.at('podAffinityTerm'));
    }
  }
}

function validateWeight(term: Field): void {
  const weight = term.at('weight');
  if (weight.number < 1 || weight.number > 100) weight.invalid('must be in the range 1-100', weight.number);
}

function validateNodeSelector(selector: Field): void {
  const terms = selector.at('nodeSelectorTerms');
  if (terms.list.length === 0) terms.required('must have at least one node selector term');
  for (const term of terms.items()) validateNodeTerm(term);
}

function validateNodeTerm(term: Field): void {
  for (const requirement of term.at('matchExpressions').items()) {
    const operator = requirement.at('operator');
    const values = requirement.at('values');
    switch (operator.text) {
      case 'In':
      case 'NotIn':
        if (values.list.length === 0) values.required("must be specified when `operator` is 'In' or 'NotIn'");
        break;
      case 'Exists':
      case 'DoesNotExist':
        if (values.list.length > 0) {
          values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
        }
        break;
      case 'Gt':
      case 'Lt':
        if (values.list.length !== 1) values.required("must be specified single value when `operator` is 'Lt' or 'Gt'");
        break;
      default:
        operator.invalid('not a valid selector operator', operator.text);
    }
    requirement.at('key').check(qualifiedName);
    for (const value of values.items()) value.check(labelValue);
  }
}

function validatePodTerm(term: Field): void {
  validateLabelSelector(term.at('labelSelector'));
  for (const namespace of term.at('namespaces').items()) namespace.check(dnsLabel);
  const key = term.at('topologyKey');
  if (key.text === '') key.required('can not be empty');
  key.check(qualifiedName);
}
