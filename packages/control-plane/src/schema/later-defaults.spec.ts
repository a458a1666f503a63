import { customResourceDefinitions } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { expect, it } from 'vitest';
import { startTestPlane } from '../../fixtures/test-plane.ts';
import { followDefinitions } from './definitions.ts';

const widgets = { group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true };

const definition = (colour: object): KubeObject & { spec: object } => ({
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', default: {}, properties: { colour: { type: 'string', ...colour } } },
            },
          },
        },
      },
    ],
  },
});

it('gives an older object the defaults that its definition got later, in each way to read it', async () => {
  const { client, backend, quiet } = await startTestPlane();
  using cleanup = new DisposableStack();
  cleanup.defer(followDefinitions(backend));
  const definitions = client.resource<KubeObject & { spec: object }>(customResourceDefinitions);
  await definitions.create(definition({}));
  await quiet();
  const handle = client.resource(widgets);
  await handle.create({ metadata: { namespace: 'default', name: 'old' } });
  await definitions.patch('widgets.example.com', { type: 'merge', body: definition({ default: 'red' }) });
  await quiet();
  const coloured = { metadata: { name: 'old' }, spec: { colour: 'red' } };
  expect(await handle.get('default/old')).toMatchObject(coloured);
  expect((await handle.list()).items).toMatchObject([coloured]);
  for await (const event of handle.watch({ namespace: 'default', resourceVersion: '0' })) {
    expect(event).toMatchObject({ type: 'ADDED', object: coloured });
    break;
  }
  // What is stored stays as it is until it is written.
  expect(backend.storage.get('example.com/widgets', 'default/old')).not.toHaveProperty('spec.colour');
});
