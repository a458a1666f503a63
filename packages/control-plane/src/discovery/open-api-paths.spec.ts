import { gunzipSync } from 'node:zlib';
import { FakeClock } from '@flotilla/kube/testing';
import { describe, expect, it } from 'vitest';
import { asking, jsonOf } from '../../fixtures/path-request.ts';
import { widgetDefinition } from '../../fixtures/widget-definition.ts';
import { builtInResources } from '../schema/built-in.ts';
import { customResources } from '../schema/custom.ts';
import { createRegistry } from '../schema/registry.ts';
import { openApiPaths } from './open-api-paths.ts';

interface Operation {
  operationId: string;
  parameters?: { name: string }[];
  requestBody?: { content: Record<string, object> };
  'x-kubernetes-action'?: string;
  'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string };
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Record<string, unknown>> };
}

function setUp() {
  const registry = createRegistry(builtInResources());
  registry.setCustom('example.com/widgets', customResources(widgetDefinition));
  const ask = asking([openApiPaths({ registry, clock: new FakeClock('2026-01-01T00:00:00Z') })]);
  const index = async () => {
    const { paths } = jsonOf(await ask('/openapi/v3')) as { paths: Record<string, { serverRelativeURL: string }> };
    return Object.fromEntries(Object.entries(paths).map(([path, { serverRelativeURL }]) => [path, serverRelativeURL]));
  };
  const document = async (path: string) => jsonOf(await ask(`/openapi/v3/${path}`)) as Document;
  return { registry, ask, index, document };
}

describe('the index of OpenAPI documents', () => {
  it('names each group version with the hash of its document', async () => {
    const { ask, index } = setUp();
    const urls = await index();
    expect(Object.keys(urls)).toEqual(expect.arrayContaining(['api/v1', 'apis/apps/v1', 'apis/example.com/v1beta1']));
    expect(urls['api/v1']).toMatch(/^\/openapi\/v3\/api\/v1\?hash=[0-9A-F]{128}$/);
    expect(await ask(urls['api/v1'] ?? '')).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'public, immutable', expires: 'Fri, 01 Jan 2027 00:00:00 GMT' },
    });
  });

  it('changes the hash of exactly the documents whose resources change', async () => {
    const { registry, index } = setUp();
    const before = await index();
    const [, version] = widgetDefinition.spec.versions;
    const changed = { ...widgetDefinition, spec: { ...widgetDefinition.spec, versions: version ? [version] : [] } };
    registry.setCustom('example.com/gadgets', []);
    expect(await index()).toEqual(before);
    registry.setCustom('example.com/widgets', customResources(changed));
    const { 'apis/example.com/v1beta1': _, ...rest } = before;
    expect(await index()).toEqual(rest);
  });
});

describe('an OpenAPI document', () => {
  it('is not sent again to a client that has it', async () => {
    const { ask } = setUp();
    const etag = String((await ask('/openapi/v3/apis/apps/v1'))?.headers.etag);
    expect(await ask('/openapi/v3/apis/apps/v1', { 'if-none-match': etag })).toMatchObject({ status: 304, body: '' });
  });

  it('is found by an old hash too, by a redirect to the new', async () => {
    const { ask, index } = setUp();
    const urls = await index();
    expect(await ask('/openapi/v3/apis/apps/v1?hash=OLD')).toMatchObject({
      status: 301,
      headers: { location: urls['apis/apps/v1'] },
    });
  });

  it('is JSON and nothing else', async () => {
    const { ask } = setUp();
    const protobuf = { accept: 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf' };
    expect(await ask('/openapi/v3/apis/apps/v1', protobuf)).toMatchObject({ status: 406 });
    expect(await ask('/openapi/v3/apis/apps/v1', { accept: `${protobuf.accept}, */*` })).toMatchObject({ status: 200 });
  });

  it('does not exist for what is not served', async () => {
    const { ask } = setUp();
    expect(await ask('/openapi/v3/apis/nothing/v1')).toMatchObject({ status: 404 });
    expect(await ask('/openapi/v4')).toBeUndefined();
  });

  it('is compressed for a client that takes that', async () => {
    const { ask } = setUp();
    const plain = await ask('/openapi/v3/apis/apps/v1');
    const small = await ask('/openapi/v3/apis/apps/v1', { 'accept-encoding': 'deflate, gzip' });
    expect(small?.headers).toMatchObject({ 'content-encoding': 'gzip', etag: plain?.headers.etag });
    expect(gunzipSync(small?.body as Buffer).toString()).toBe(String(plain?.body));
  });

  it('describes built-in kinds, their fields and their lists, and what the server adds to custom ones', async () => {
    const { document } = setUp();
    const { schemas } = (await document('apis/apps/v1')).components;
    expect(schemas['io.k8s.api.apps.v1.DeploymentSpec']).toMatchObject({
      description: 'DeploymentSpec is the specification of the desired behavior of the Deployment.',
      properties: {
        replicas: { type: 'integer', description: expect.stringMatching(/^Number of desired pods\. /) },
        template: { description: expect.stringMatching(/^Template describes/), allOf: [{}] },
      },
    });
    expect(schemas['io.k8s.api.apps.v1.DeploymentList']).toMatchObject({
      properties: { items: { description: 'Items is the list of Deployments.' } },
    });
    const custom = (await document('apis/example.com/v1')).components.schemas;
    expect(custom['com.example.v1.Widget']).toMatchObject({
      description: 'A widget.',
      properties: {
        kind: { description: expect.stringMatching(/^Kind is/) },
        metadata: { description: 'Its name is short.' },
      },
    });
    expect(custom['com.example.v1.WidgetList']).toMatchObject({ description: 'WidgetList is a list of Widget' });
  });

  it('holds every component that anything in it refers to', async () => {
    const { index, document } = setUp();
    for (const path of Object.keys(await index())) {
      const whole = await document(path);
      const referred = [...JSON.stringify(whole).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)];
      const missing = referred.map(([, name = '']) => name).filter((name) => !(name in whole.components.schemas));
      expect(missing, path).toEqual([]);
      expect(referred.length).toBeGreaterThan(0);
    }
  });

  it('gives each operation an id of its own', async () => {
    const { index, document } = setUp();
    for (const path of Object.keys(await index())) {
      const items = Object.values((await document(path)).paths);
      const ids = items.flatMap((item) =>
        Object.entries(item)
          .filter(([method]) => method !== 'parameters')
          .map(([, { operationId }]) => operationId),
      );
      expect(ids, path).toEqual([...new Set(ids)]);
    }
  });

  it('shows kubectl that patches are validated and applied by the server', async () => {
    const { paths } = await setUp().document('api/v1');
    const patch = paths['/api/v1/namespaces/{namespace}/configmaps/{name}']?.patch;
    expect(patch).toMatchObject({
      operationId: 'patchCoreV1NamespacedConfigMap',
      'x-kubernetes-action': 'patch',
      'x-kubernetes-group-version-kind': { group: '', version: 'v1', kind: 'ConfigMap' },
    });
    expect(patch?.parameters?.map(({ name }) => name)).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force']);
    expect(Object.keys(patch?.requestBody?.content ?? {})).toContain('application/strategic-merge-patch+json');
  });

  it('offers only what a resource can do', async () => {
    const { paths } = await setUp().document('apis/authentication.k8s.io/v1');
    expect(Object.keys(paths)).toEqual([
      '/apis/authentication.k8s.io/v1/',
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      '/apis/authentication.k8s.io/v1/tokenreviews',
    ]);
    expect(Object.keys(paths['/apis/authentication.k8s.io/v1/tokenreviews'] ?? {})).toEqual(['post', 'parameters']);
  });

  it('says how lists are merged, through references with a default', async () => {
    const { components } = await setUp().document('apis/apps/v1');
    expect(components.schemas['io.k8s.api.core.v1.PodSpec']).toMatchObject({
      properties: {
        containers: {
          type: 'array',
          items: { default: {}, allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.Container' }] },
          'x-kubernetes-patch-merge-key': 'name',
          'x-kubernetes-patch-strategy': 'merge',
        },
      },
    });
    expect(components.schemas['io.k8s.api.apps.v1.Deployment']).toMatchObject({
      'x-kubernetes-group-version-kind': [{ group: 'apps', kind: 'Deployment', version: 'v1' }],
    });
  });

  it('describes a custom kind under its group backwards, with what every object has', async () => {
    const { components, paths } = await setUp().document('apis/example.com/v1');
    expect(components.schemas['com.example.v1.Widget']).toEqual({
      type: 'object',
      description: 'A widget.',
      required: ['spec'],
      properties: {
        apiVersion: { type: 'string', description: expect.stringMatching(/^APIVersion defines/) },
        kind: { type: 'string', description: expect.stringMatching(/^Kind is/) },
        metadata: {
          description: 'Its name is short.',
          allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }],
        },
        spec: {
          type: 'object',
          properties: {
            replicas: { type: 'integer', default: 1 },
            port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
            template: {
              type: 'object',
              required: ['apiVersion', 'kind'],
              properties: {
                apiVersion: { type: 'string' },
                kind: { type: 'string' },
                metadata: { allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }] },
              },
              'x-kubernetes-embedded-resource': true,
              'x-kubernetes-preserve-unknown-fields': true,
            },
          },
        },
      },
      'x-kubernetes-group-version-kind': [{ group: 'example.com', kind: 'Widget', version: 'v1' }],
    });
    const patch = paths['/apis/example.com/v1/namespaces/{namespace}/widgets/{name}/scale']?.patch;
    expect(patch?.operationId).toBe('patchExampleComV1NamespacedWidgetScale');
    expect(Object.keys(patch?.requestBody?.content ?? {})).not.toContain('application/strategic-merge-patch+json');
  });
});
