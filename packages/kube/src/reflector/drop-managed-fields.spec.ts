import { expect, it } from 'vitest';
import { dropManagedFields } from './drop-managed-fields.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

it('drops managed fields and the last applied configuration, and nothing else', () => {
  const object = {
    kind: 'Thing',
    metadata: {
      name: 'a',
      managedFields: [{ manager: 'kubectl' }],
      annotations: { [lastApplied]: '{}', kept: 'yes' },
      labels: { app: 'x' },
    },
    spec: { replicas: 3 },
  };
  const before = structuredClone(object);
  expect(dropManagedFields(object)).toEqual({
    kind: 'Thing',
    metadata: { name: 'a', annotations: { kept: 'yes' }, labels: { app: 'x' } },
    spec: { replicas: 3 },
  });
  expect(object).toEqual(before);
});

it('leaves an object alone that has neither', () => {
  for (const object of [{}, { metadata: { name: 'a' } }, { metadata: { name: 'a', annotations: { kept: 'yes' } } }]) {
    expect(dropManagedFields(object)).toBe(object);
  }
});
