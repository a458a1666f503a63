import { KubeError } from '@flotilla/kube';
import { describe, expect, it } from 'vitest';
import { asking, jsonOf } from '../../fixtures/path-request.ts';
import { widgetDefinition } from '../../fixtures/widget-definition.ts';
import { builtInResources } from '../schema/built-in.ts';
import { customResources } from '../schema/custom.ts';
import { createRegistry } from '../schema/registry.ts';
import { discoveryPaths } from './discovery-paths.ts';

const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const aggregated = { accept: aggregatedType };

function setUp() {
  const registry = createRegistry(builtInResources());
  registry.setCustom('example.com/widgets', customResources(widgetDefinition));
  return { registry, ask: asking([discoveryPaths({ registry, serverAddress: () => '127.0.0.1:6443' })]) };
}

describe('legacy discovery', () => {
  it('lists the versions of the core group and where the server is', async () => {
    expect(jsonOf(await setUp().ask('/api'))).toEqual({
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1:6443' }],
    });
  });

  it('lists built-in groups in the order of the real server and custom ones after them', async () => {
    const { groups } = jsonOf(await setUp().ask('/apis')) as { groups: { name: string }[] };
    const names = groups.map(({ name }) => name);
    expect(names.slice(0, 3)).toEqual(['apiregistration.k8s.io', 'apps', 'events.k8s.io']);
    expect(names.at(-1)).toBe('example.com');
    expect(names).not.toContain('');
  });

  it('prefers the newest stable version of a custom group', async () => {
    expect(jsonOf(await setUp().ask('/apis/example.com'))).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'example.com',
      versions: [
        { groupVersion: 'example.com/v1', version: 'v1' },
        { groupVersion: 'example.com/v1beta1', version: 'v1beta1' },
      ],
      preferredVersion: { groupVersion: 'example.com/v1', version: 'v1' },
    });
  });

  it('lists resources with their subresources, and the kind of a subresource that has another one', async () => {
    expect(jsonOf(await setUp().ask('/apis/example.com/v1'))).toEqual({
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: 'example.com/v1',
      resources: [
        {
          name: 'widgets',
          singularName: 'widget',
          namespaced: true,
          kind: 'Widget',
          verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
          shortNames: ['wd'],
          categories: ['toys'],
          storageVersionHash: expect.stringMatching(/^.{11}=$/),
        },
        {
          name: 'widgets/status',
          singularName: '',
          namespaced: true,
          kind: 'Widget',
          verbs: ['get', 'patch', 'update'],
        },
        {
          name: 'widgets/scale',
          singularName: '',
          namespaced: true,
          group: 'autoscaling',
          version: 'v1',
          kind: 'Scale',
          verbs: ['get', 'patch', 'update'],
        },
      ],
    });
  });

  it('hashes the storage version as the real server does, and leaves it out for what is not stored', async () => {
    const { ask } = setUp();
    const core = jsonOf(await ask('/api/v1')) as { apiVersion?: string; resources: Record<string, unknown>[] };
    expect(core.resources.find(({ name }) => name === 'configmaps')).toMatchObject({
      storageVersionHash: 'qFsyl6wFWjQ=',
    });
    expect(core.apiVersion).toBeUndefined();
    const reviews = jsonOf(await ask('/apis/authentication.k8s.io/v1')) as { resources: Record<string, unknown>[] };
    expect(reviews.resources.every((resource) => !('storageVersionHash' in resource))).toBe(true);
  });

  it('writes YAML if asked to', async () => {
    const answer = await setUp().ask('/apis/apps', { accept: 'application/yaml' });
    expect(answer).toMatchObject({ headers: { 'content-type': 'application/yaml' } });
    expect(answer?.body).toContain('name: apps');
  });
});

describe('aggregated discovery', () => {
  it('puts all groups with their resources into one document', async () => {
    const answer = await setUp().ask('/apis', aggregated);
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': aggregatedType, vary: 'Accept' } });
    const { items } = jsonOf(answer) as { items: { metadata: { name: string }; versions: object[] }[] };
    const custom = items.find(({ metadata }) => metadata.name === 'example.com');
    expect(custom?.versions).toMatchObject([
      {
        version: 'v1',
        freshness: 'Current',
        resources: [
          {
            resource: 'widgets',
            responseKind: { group: 'example.com', version: 'v1', kind: 'Widget' },
            scope: 'Namespaced',
            singularResource: 'widget',
            subresources: [
              { subresource: 'status', responseKind: { group: 'example.com', version: 'v1', kind: 'Widget' } },
              { subresource: 'scale', responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' } },
            ],
          },
        ],
      },
      { version: 'v1beta1' },
    ]);
  });

  it('leaves group and version of built-in kinds empty, as the real server does', async () => {
    const { items } = jsonOf(await setUp().ask('/api', aggregated)) as {
      items: { metadata: object; versions: { resources: object[] }[] }[];
    };
    expect(items).toHaveLength(1);
    expect(items[0]?.metadata).toEqual({});
    expect(items[0]?.versions[0]?.resources[0]).toMatchObject({
      resource: 'configmaps',
      responseKind: { group: '', version: '', kind: 'ConfigMap' },
    });
  });

  it('is what kubectl gets, which would also take older forms', async () => {
    const accept = `${aggregatedType},application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json`;
    expect(jsonOf(await setUp().ask('/apis', { accept }))).toMatchObject({ kind: 'APIGroupDiscoveryList' });
  });

  it('gives way to the legacy form for a client that knows only an unknown version of it and JSON', async () => {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v3;as=APIGroupDiscoveryList, application/json';
    expect(jsonOf(await setUp().ask('/apis', { accept }))).toMatchObject({ kind: 'APIGroupList' });
  });

  it('is not sent again to a client that has it, until the registry changes', async () => {
    const { registry, ask } = setUp();
    const etag = String((await ask('/apis', aggregated))?.headers.etag);
    const again = { ...aggregated, 'if-none-match': etag };
    expect(await ask('/apis', again)).toMatchObject({ status: 304, body: '', headers: { etag } });
    registry.setCustom('example.com/widgets', []);
    expect(await ask('/apis', again)).toMatchObject({ status: 200 });
  });
});

describe('what is not there', () => {
  it('is not found for an unknown group or a version of a custom group', async () => {
    const { ask } = setUp();
    for (const path of ['/apis/nothing', '/apis/example.com/v9', '/nothing', '/apis/nothing/v1']) {
      expect(await ask(path)).toBeUndefined();
    }
  });

  it.each(['/apis/apps/v9', '/api/v2'])('is a Status for %s, which a built-in group would have', async (path) => {
    await expect(setUp().ask(path)).rejects.toSatisfy((error) => KubeError.is(error, 'NotFound'));
  });

  it.each(['/api', '/api/v1', '/apis/apps/v1'])('includes other methods than GET for %s', async (path) => {
    await expect(setUp().ask(path, {}, 'POST')).rejects.toSatisfy((error) => KubeError.is(error, 'MethodNotAllowed'));
  });

  it('includes tables and metadata of these documents', async () => {
    const accept = 'application/json;as=Table;g=meta.k8s.io;v=v1';
    await expect(setUp().ask('/apis/apps', { accept })).rejects.toSatisfy((error) =>
      KubeError.is(error, 'NotAcceptable'),
    );
  });
});
