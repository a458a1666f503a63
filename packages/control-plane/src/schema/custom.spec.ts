import { expect, test } from 'vitest';
import { type CustomResourceDefinition, compareVersions, customResources } from './custom.ts';

const definition = (versions: CustomResourceDefinition['spec']['versions']): CustomResourceDefinition => ({
  spec: { group: 'example.com', scope: 'Namespaced', names: { kind: 'Widget', plural: 'widgets' }, versions },
});

test('versions are in the order of Kubernetes: stable, beta, alpha, highest first, then other names', () => {
  const versions = [
    'foo1',
    'v1',
    'v10beta3',
    'v3beta1',
    'v11alpha2',
    'v2',
    'v12alpha1',
    'foo10',
    'v11beta2',
    'v3',
    'v10',
  ];
  expect([...versions].sort(compareVersions)).toEqual([
    'v10',
    'v3',
    'v2',
    'v1',
    'v11beta2',
    'v10beta3',
    'v3beta1',
    'v12alpha1',
    'v11alpha2',
    'foo1',
    'foo10',
  ]);
});

test('only served versions are resources, and all of them store in one version', () => {
  const resources = customResources(
    definition([
      { name: 'v1alpha1', served: true, storage: false },
      { name: 'v1', served: true, storage: true, subresources: { status: {} } },
      { name: 'v1beta1', served: false, storage: false },
    ]),
  );
  expect(resources.map(({ version, storageVersion }) => [version, storageVersion])).toEqual([
    ['v1', 'v1'],
    ['v1alpha1', 'v1'],
  ]);
  expect(resources[0]?.subresources.map(({ name }) => name)).toEqual(['status']);
  expect(resources[1]?.subresources).toEqual([]);
});

test('names that a definition leaves out are made from its kind', () => {
  const [resource] = customResources(definition([{ name: 'v1', served: true, storage: true }]));
  expect(resource).toMatchObject({
    singular: 'widget',
    listKind: 'WidgetList',
    columns: [{ name: 'Name' }, { name: 'Age' }],
  });
});
