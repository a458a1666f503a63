import { isDeepStrictEqual } from 'node:util';
import { parseQuantity } from '@flotilla/schema';
import type { Field } from '../../field.ts';
import { qualifiedName } from '../../names.ts';
import { validateQuantity } from './resources.ts';

const podCounts = ['pods'];
const podCompute = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'];
const counted = [
  ...podCounts,
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const standard = new Set([
  ...counted,
  ...podCompute,
  'ephemeral-storage',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.ephemeral-storage',
]);
const isHugePages = (name: string): boolean => /^(requests\.)?hugepages-/.test(name);

/** What a scope can be limited by: of pods, and of claims. */
const scopes: Readonly<Record<string, readonly string[]>> = {
  Terminating: [...podCounts, ...podCompute],
  NotTerminating: [...podCounts, ...podCompute],
  BestEffort: podCounts,
  NotBestEffort: [...podCounts, ...podCompute],
  PriorityClass: [...podCounts, ...podCompute],
  CrossNamespacePodAffinity: [...podCounts, ...podCompute],
  VolumeAttributesClass: ['persistentvolumeclaims', 'requests.storage'],
};
const exclusive = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];

export function validateResourceQuota(quota: Field, old?: Field): void {
  const spec = quota.at('spec');
  for (const [name, amount] of spec.at('hard').entries()) validateHard(name, amount);
  validateScopes(spec);
  validateScopeSelector(spec);
  for (const part of ['hard', 'used']) {
    for (const [name, amount] of quota.at('status').at(part).entries()) validateHard(name, amount);
  }
  if (!old) return;
  const sorted = (field: Field) => field.list.toSorted();
  const given = spec.at('scopes');
  if (!isDeepStrictEqual(sorted(given), sorted(old.at('spec').at('scopes')))) given.invalid('field is immutable');
}

function validateHard(name: string, amount: Field): void {
  const errors = qualifiedName(name);
  for (const error of errors) amount.invalid(error, name);
  if (!name.includes('/') && !standard.has(name) && !isHugePages(name)) {
    if (errors.length === 0 && name !== 'storage') {
      amount.invalid('must be a standard resource type or fully qualified', name);
    }
    amount.invalid('must be a standard resource for quota', name);
  }
  validateQuantity(amount);
  const nanos = parseQuantity(String(amount.value)).value?.nanos ?? 0n;
  if (counted.includes(name) && nanos % 1_000_000_000n !== 0n) amount.invalid('must be an integer');
}

function validateScopes(spec: Field): void {
  const given = spec.at('scopes');
  const names = given.items().map(({ text }) => text);
  for (const name of names) {
    const limited = scopes[name];
    if (!limited) given.invalid('unsupported scope', given.value);
    if (!fits(spec, limited)) given.invalid('unsupported scope applied to resource', given.value);
  }
  for (const pair of exclusive) {
    if (pair.every((name) => names.includes(name))) given.invalid('conflicting scopes', given.value);
  }
}

const fits = (spec: Field, limited: readonly string[] | undefined): boolean =>
  limited === undefined || spec.at('hard').names.every((name) => !standard.has(name) || limited.includes(name));

function validateScopeSelector(spec: Field): void {
  const expressions = spec.at('scopeSelector').at('matchExpressions');
  for (const { fields } of expressions.items()) {
    const { scopeName = '', operator = '', values = null } = fields;
    const name = String(scopeName);
    if (!scopes[name]) expressions.at('scopeName').with(name).invalid('unsupported scope');
    if (!fits(spec, scopes[name])) expressions.invalid('unsupported scope applied to resource');
    if (scopes[name] && !['PriorityClass', 'VolumeAttributesClass'].includes(name) && operator !== 'Exists') {
      expressions
        .at('operator')
        .invalid(
          "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
          operator,
        );
    }
    const count = Array.isArray(values) ? values.length : 0;
    if (operator === 'In' || operator === 'NotIn') {
      if (count === 0) {
        expressions
          .at('values')
          .required("must be at least one value when `operator` is 'In' or 'NotIn' for scope selector");
      }
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      if (count > 0) {
        expressions
          .at('values')
          .invalid("must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector", values);
      }
    } else expressions.at('operator').invalid('not a valid selector operator', operator);
  }
}
