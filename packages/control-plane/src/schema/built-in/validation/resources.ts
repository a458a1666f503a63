import { compareQuantities, parseQuantity } from '@flotilla/schema';
import type { Field } from '../../field.ts';
import { qualifiedName } from '../../names.ts';

const standard = new Set(['cpu', 'memory', 'ephemeral-storage']);
const known = new Set([
  ...standard,
  'storage',
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);

const isNative = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');
const isHugePages = (name: string): boolean => name.startsWith('hugepages-');

/** Requests and limits of a container. */
export function validateResources(resources: Field): void {
  for (const kind of ['limits', 'requests']) {
    for (const [name, quantity] of resources.at(kind).entries()) validateAmount(name, quantity);
  }
  const limits = resources.at('limits');
  const requests = resources.at('requests');
  for (const [name, { value }] of requests.entries()) {
    const limit = limits.fields[name];
    if (limit === undefined) continue;
    const order = compareQuantities(String(value), String(limit));
    if (order !== 0 && (!isNative(name) || isHugePages(name))) {
      requests.invalid(`must be equal to ${name} limit of ${limit}`, value);
    } else if (order > 0) requests.invalid(`must be less than or equal to ${name} limit of ${limit}`, value);
  }
}

function validateAmount(name: string, quantity: Field): void {
  const errors = qualifiedName(name);
  for (const error of errors) quantity.invalid(error, name);
  if (!name.includes('/')) {
    if (errors.length === 0 && !known.has(name) && !isHugePages(name)) {
      quantity.invalid('must be a standard resource type or fully qualified', name);
    }
    if (!standard.has(name) && !isHugePages(name)) quantity.invalid('must be a standard resource for containers', name);
  } else if (errors.length === 0 && !isNative(name) && name.startsWith('requests.')) {
    quantity.invalid("doesn't follow extended resource name standard", name);
  }
  validateQuantity(quantity);
  const nanos = parseQuantity(String(quantity.value)).value?.nanos ?? 0n;
  if (!isNative(name) && nanos % 1_000_000_000n !== 0n) quantity.invalid('must be an integer');
}

/** An amount may not be less than nothing. */
export function validateQuantity(quantity: Field): void {
  if (compareQuantities(String(quantity.value), '0') < 0) quantity.invalid('must be greater than or equal to 0');
}
