import type { KubeObject } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { clusterRoles, configMaps, deployments, namespaces } from '../kinds/built-in-kinds.ts';
import { ScriptedTransport } from '../testing/scripted-transport.ts';
import { createKubeClient } from './kube-client.ts';

const scripted = (...args: ConstructorParameters<typeof ScriptedTransport>) => {
  const transport = new ScriptedTransport(...args);
  return { transport, client: createKubeClient({ transport, fieldManager: 'flotilla test' }) };
};

const notFound = (details: object) => ({
  status: 404,
  body: { kind: 'Status', reason: 'NotFound', code: 404, message: 'not found', details },
});

describe('a read', () => {
  it('asks for the path of a namespaced object', async () => {
    const { transport, client } = scripted();
    await client.resource(deployments).get('team/web', { priority: 'bulk', deadlineMs: 7 });
    expect(transport.last).toMatchObject({
      method: 'GET',
      path: '/apis/apps/v1/namespaces/team/deployments/web',
      priority: 'bulk',
      deadlineMs: 7,
    });
  });

  it('escapes names that need it', async () => {
    const { transport, client } = scripted();
    await client.resource(clusterRoles).get('system:node');
    expect(transport.last.path).toBe('/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode');
  });

  it('gives the object the kind that items of lists lack', async () => {
    const { client } = scripted(() => ({
      body: { metadata: { resourceVersion: '1' }, items: [{ metadata: { name: 'a' } }] },
    }));
    const { items } = await client.resource(namespaces).list();
    expect(items).toEqual([{ metadata: { name: 'a' }, apiVersion: 'v1', kind: 'Namespace' }]);
  });

  it('find answers undefined for an absent object', async () => {
    const { client } = scripted(() => notFound({ name: 'a', kind: 'configmaps' }));
    expect(await client.resource(configMaps).find('x/a')).toBeUndefined();
  });

  it('find throws for a resource that the server does not serve', async () => {
    const { client } = scripted(() => notFound({}));
    await expect(client.resource(configMaps).find('x/a')).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('throws Decode for an answer that is not JSON, without showing it', async () => {
    const { client } = scripted(() => ({ body: '<html>token</html>' }));
    const error: unknown = await client
      .resource(configMaps)
      .get('x/a')
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'Decode' });
    expect(String(error)).not.toContain('token');
  });
});

describe('a key or object that cannot be', () => {
  const { client, transport } = scripted();
  it.each([
    ['an empty key', () => client.resource(namespaces).get(''), 'empty'],
    ['an empty name', () => client.resource(configMaps).get('a/'), 'empty name'],
    ['an empty namespace', () => client.resource(configMaps).get('/a'), 'empty namespace'],
    ['two slashes', () => client.resource(configMaps).get('a/b/c'), 'more than one slash'],
    ['a way out of the path', () => client.resource(configMaps).get('../secrets'), 'metadata.namespace'],
    ['a percent sign', () => client.resource(namespaces).get('a%2fb'), 'metadata.name'],
    ['a name alone for a namespaced kind', () => client.resource(configMaps).get('a'), 'lacks a namespace'],
    ['a namespace for a kind without', () => client.resource(namespaces).get('a/b'), 'has a namespace'],
    [
      'a namespace to list a kind without',
      () => client.resource(namespaces).list({ namespace: 'a' }),
      'cannot be listed',
    ],
    [
      'a new object without a namespace',
      () => client.resource(configMaps).create({ metadata: { name: 'a' } }),
      'metadata.namespace',
    ],
    [
      'a new object that exists',
      () => client.resource(namespaces).create({ metadata: { name: 'a', resourceVersion: '1' } }),
      'metadata.resourceVersion',
    ],
    ['an object without a name', () => client.resource(namespaces).replace({}), 'metadata.name'],
    ['a collection in all namespaces', () => client.resource(configMaps).deleteCollection({}), 'needs a namespace'],
  ])('is refused before anything is sent: %s', async (_what, call, named) => {
    await expect(call()).rejects.toMatchObject({ code: 'BadRequest', message: expect.stringContaining(named) });
    expect(transport.requests).toHaveLength(0);
  });
});

describe('a write', () => {
  it('names the field manager and the kind', async () => {
    const { client, transport } = scripted();
    await client
      .resource(configMaps)
      .create({ metadata: { namespace: 'a', name: 'b' } }, { fieldValidation: 'Strict' });
    expect(transport.last).toMatchObject({
      method: 'POST',
      path: '/api/v1/namespaces/a/configmaps?fieldManager=flotilla%20test&fieldValidation=Strict',
      headers: { 'content-type': 'application/json' },
    });
    expect(JSON.parse(String(transport.last.body))).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
  });

  it.each([
    ['json', [{ op: 'remove', path: '/x' }], 'application/json-patch+json'],
    ['merge', { x: null }, 'application/merge-patch+json'],
    ['strategic', { x: 1 }, 'application/strategic-merge-patch+json'],
  ] as const)('patches by a %s patch', async (type, body, contentType) => {
    const { client, transport } = scripted();
    const patch = type === 'json' ? { type, body } : { type, body };
    await client.resource(configMaps).patch('a/b', patch, { dryRun: true, fieldManager: 'other' });
    expect(transport.last).toMatchObject({
      method: 'PATCH',
      path: '/api/v1/namespaces/a/configmaps/b?fieldManager=other&dryRun=All',
      headers: { 'content-type': contentType },
      body: JSON.stringify(body),
      repeatable: undefined,
    });
  });

  it('applies so that a lost connection may repeat it', async () => {
    const { client, transport } = scripted();
    const object = { metadata: { namespace: 'a', name: 'b' }, data: { x: '1' } };
    await client.resource(configMaps).apply(object, { fieldManager: 'me', force: true });
    expect(transport.last).toMatchObject({
      method: 'PATCH',
      path: '/api/v1/namespaces/a/configmaps/b?fieldManager=me&force=true',
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: JSON.stringify({ ...object, apiVersion: 'v1', kind: 'ConfigMap' }),
      repeatable: true,
    });
  });

  it('replaces the status alone', async () => {
    const { client, transport } = scripted();
    await client.resource(deployments).status.replace({ metadata: { namespace: 'a', name: 'b' }, status: {} });
    expect(transport.last).toMatchObject({ method: 'PUT', path: expect.stringMatching(/deployments\/b\/status\?/) });
  });

  it('posts to a subresource', async () => {
    const { client, transport } = scripted();
    await client.resource(deployments).createSubresource('eviction', 'a/b', {});
    expect(transport.last).toMatchObject({ method: 'POST', path: expect.stringMatching(/deployments\/b\/eviction\?/) });
  });
});

describe('a deletion', () => {
  it('sends preconditions and propagation', async () => {
    const { client, transport } = scripted();
    await client.resource(configMaps).delete('a/b', {
      preconditions: { uid: 'u', resourceVersion: '3' },
      propagationPolicy: 'Foreground',
      gracePeriodSeconds: 0,
      dryRun: true,
    });
    expect(transport.last).toMatchObject({ method: 'DELETE', path: '/api/v1/namespaces/a/configmaps/b' });
    expect(JSON.parse(String(transport.last.body))).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid: 'u', resourceVersion: '3' },
      propagationPolicy: 'Foreground',
      gracePeriodSeconds: 0,
      dryRun: ['All'],
    });
  });

  it('sends no body if there is nothing to say', async () => {
    const { client, transport } = scripted();
    await client.resource(configMaps).delete('a/b');
    expect(transport.last.body).toBeUndefined();
  });

  it('takes absence for success', async () => {
    const { client } = scripted(() => notFound({ name: 'b' }));
    await expect(client.resource(configMaps).delete('a/b')).resolves.toBeUndefined();
  });

  it('removes a selection', async () => {
    const { client, transport } = scripted();
    await client
      .resource(configMaps)
      .deleteCollection({ namespace: 'a', labelSelector: 'x=y' }, { propagationPolicy: 'Orphan' });
    expect(transport.last).toMatchObject({
      method: 'DELETE',
      path: '/api/v1/namespaces/a/configmaps?labelSelector=x%3Dy',
    });
  });
});

describe('a metadata-only handle', () => {
  it('asks the server to cut objects and gives them back their kind', async () => {
    const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a' } };
    const { client, transport } = scripted(() => ({ body: { metadata: {}, items: [partial] } }));
    const { items } = await client.metadata(namespaces).list();
    expect(transport.last.headers?.accept).toMatch(
      /^application\/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,/,
    );
    expect(items).toEqual([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } }]);
  });

  it('cuts objects that a server sends whole', async () => {
    const { client } = scripted(() => ({ body: { metadata: { name: 'a', namespace: 'b' }, data: { big: 'x' } } }));
    expect(await client.metadata(configMaps).get('b/a')).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'b' },
    });
  });

  it('refuses writes that would drop the other fields', async () => {
    const { client, transport } = scripted();
    const object: KubeObject = { metadata: { name: 'a' } };
    await expect(client.metadata(namespaces).replace(object)).rejects.toMatchObject({ code: 'MethodNotAllowed' });
    await expect(client.metadata(namespaces).create(object)).rejects.toMatchObject({ code: 'MethodNotAllowed' });
    expect(transport.requests).toHaveLength(0);
  });
});
