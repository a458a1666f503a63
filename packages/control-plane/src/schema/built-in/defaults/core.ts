import type { JsonObject } from '@flotilla/schema';
import { child, children, type Defaulter, ensure, fill, textAt } from './fill.ts';

/** Text that a user gave is data like any other; it is not kept as text. */
export const defaultSecret: Defaulter = (secret) => {
  fill(secret, { type: 'Opaque' });
  const given = child(secret, 'stringData');
  if (given) {
    const data = ensure(secret, 'data');
    for (const [key, text] of Object.entries(given)) data[key] = Buffer.from(String(text)).toString('base64');
  }
  delete secret.stringData;
};

/** A namespace can be selected by its name. */
export const defaultNamespace: Defaulter = (namespace) => {
  const metadata = ensure(namespace, 'metadata');
  const name = textAt(metadata, 'name');
  if (name !== '') ensure(metadata, 'labels')['kubernetes.io/metadata.name'] = name;
};

/** A node that does not say what it can give away gives all it has. */
export const defaultNode: Defaulter = (node) => {
  const status = child(node, 'status');
  const capacity = status && child(status, 'capacity');
  if (status && capacity) fill(status, { allocatable: capacity });
};

/** Coordinated election is not served, so what would ask for it is dropped. */
export const defaultLease: Defaulter = (lease) => {
  const spec = child(lease, 'spec');
  delete spec?.strategy;
  delete spec?.preferredHolder;
};

export const defaultEndpoints: Defaulter = (endpoints) => {
  for (const subset of children(endpoints, 'subsets')) {
    for (const port of children(subset, 'ports')) fill(port, { protocol: 'TCP' });
  }
};

export const defaultEndpointSlice: Defaulter = (slice) => {
  for (const port of children(slice, 'ports')) fill(port, { name: '', protocol: 'TCP' });
};

/** Limits of containers fill in for one another: a default from the maximum, a default request from the default or the minimum. */
export const defaultLimitRange: Defaulter = (range) => {
  for (const limit of children(child(range, 'spec'), 'limits')) {
    if (limit.type !== 'Container') continue;
    const take = (target: string, source: string): void => {
      const values: JsonObject | undefined = child(limit, source);
      if (values) fill(ensure(limit, target), values);
    };
    take('default', 'max');
    take('defaultRequest', 'default');
    take('defaultRequest', 'min');
  }
};
