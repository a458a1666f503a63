import { clusterRoles, coreEvents, customResourceDefinitions, leases, namespaces, secrets } from '@flotilla/kube/kinds';
import { describe, expect, it } from 'vitest';
import { startTestPlane } from '../../fixtures/test-plane.ts';
import { customResources } from '../schema/custom.ts';
import { followDefinitions } from '../schema/definitions.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const rule = (resource: string) => ({ apiGroups: [''], resources: [resource], verbs: ['get'] });

describe('bootstrap tokens', () => {
  it('go when they expire, and stay for ever without an end', async () => {
    const plane = await startTestPlane();
    await using _ = plane.runControllers();
    const tokens = plane.client.resource(secrets);
    const create = (name: string, data: Record<string, string>) =>
      tokens.create({ metadata: { namespace: 'kube-system', name }, type: 'bootstrap.kubernetes.io/token', data });
    await create('ends', { expiration: base64('2026-01-01T01:00:00Z') });
    await create('stays', { 'token-id': base64('abcdef') });
    await plane.quiet();
    await plane.clock.advance(3_599_000);
    expect(await tokens.find('kube-system/ends')).toBeDefined();
    await plane.clock.advance(1000);
    await plane.quiet();
    expect(await tokens.find('kube-system/ends')).toBeUndefined();
    expect(await tokens.find('kube-system/stays')).toBeDefined();
  });
});

describe('aggregated cluster roles', () => {
  it('have the rules of the roles they select, and lose them with the label', async () => {
    const plane = await startTestPlane();
    await using _ = plane.runControllers();
    const roles = plane.client.resource(clusterRoles);
    const labels = { aggregate: 'yes' };
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: labels }] };
    await roles.create({ metadata: { name: 'all' }, aggregationRule });
    await roles.create({ metadata: { name: 'pods', labels }, rules: [rule('pods')] });
    await roles.create({ metadata: { name: 'nodes', labels }, rules: [rule('nodes')] });
    await roles.create({ metadata: { name: 'other' }, rules: [rule('secrets')] });
    await plane.quiet();
    expect((await roles.get('all')).rules).toEqual([rule('nodes'), rule('pods')]);
    await roles.patch('pods', { type: 'merge', body: { metadata: { labels: null } } });
    await plane.quiet();
    expect((await roles.get('all')).rules).toEqual([rule('nodes')]);
  });
});

describe('system namespaces', () => {
  it('are there from the start', async () => {
    const plane = await startTestPlane();
    await using _ = plane.runControllers();
    await plane.quiet();
    const { items } = await plane.client.resource(namespaces).list();
    expect(items.map(({ metadata }) => metadata?.name)).toEqual([
      'default',
      'kube-node-lease',
      'kube-public',
      'kube-system',
    ]);
  });
});

describe('definitions of custom resources', () => {
  const metadata = { name: 'widgets.example.com' };
  const spec = {
    group: 'example.com',
    scope: 'Namespaced' as const,
    names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' as const } } }],
  };
  const type = { group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true };

  it('take their objects with them, and wait for those that are held', async () => {
    const plane = await startTestPlane();
    await using _ = plane.runControllers();
    const { client, backend } = plane;
    backend.registry.setCustom('example.com/widgets', customResources({ spec }));
    await client.resource(customResourceDefinitions).create({ metadata, spec });
    await client.resource(type).create({ metadata: { namespace: 'default', name: 'free' } });
    const held = { namespace: 'default', name: 'held', finalizers: ['example.com/hold'] };
    await client.resource(type).create({ metadata: held });
    await plane.quiet();
    await client.resource(customResourceDefinitions).delete(metadata.name);
    await plane.quiet();
    const { items } = await client.resource(type).list();
    expect(items.map((item) => item.metadata?.name)).toEqual(['held']);
    expect((await client.resource(customResourceDefinitions).get(metadata.name)).status?.conditions).toMatchObject([
      { type: 'Terminating', status: 'True', reason: 'InstanceDeletionInProgress' },
    ]);
    await client.resource(type).patch('default/held', { type: 'merge', body: { metadata: { finalizers: null } } });
    await plane.quiet();
    expect(await client.resource(customResourceDefinitions).find(metadata.name)).toBeUndefined();
  });

  it('take their objects with them although no version is served any more, and the next definition starts empty', async () => {
    const plane = await startTestPlane();
    await using _ = plane.runControllers();
    const { client, backend } = plane;
    await using cleanup = new AsyncDisposableStack();
    cleanup.defer(followDefinitions({ ...backend }));
    const definitions = client.resource(customResourceDefinitions);
    await definitions.create({ metadata, spec });
    await client.resource(type).create({ metadata: { namespace: 'default', name: 'old' } });
    const versions = spec.versions.map((version) => ({ ...version, served: false }));
    await definitions.patch(metadata.name, { type: 'merge', body: { spec: { versions } } });
    await definitions.delete(metadata.name);
    await plane.quiet();
    expect(await definitions.find(metadata.name)).toBeUndefined();
    await definitions.create({ metadata, spec });
    expect((await client.resource(type).list()).items).toEqual([]);
  });

  it('that have the name of a built-in kind leave its objects alone', async () => {
    const plane = await startTestPlane();
    await using _ = plane.runControllers();
    const { client } = plane;
    await using cleanup = new AsyncDisposableStack();
    cleanup.defer(followDefinitions({ ...plane.backend }));
    await client.resource(leases).create({ metadata: { namespace: 'default', name: 'kept' }, spec: {} });
    const definitions = client.resource(customResourceDefinitions);
    const { group, kind, plural } = leases;
    const name = `${plural}.${group}`;
    const approved = { 'api-approved.kubernetes.io': 'unapproved, for a test' };
    const definition = { ...spec, group, names: { kind, plural } };
    await definitions.create({ metadata: { name, annotations: approved }, spec: definition });
    await plane.quiet();
    await definitions.delete(name);
    await plane.quiet();
    expect(await definitions.find(name)).toBeUndefined();
    expect(await client.resource(leases).find('default/kept')).toBeDefined();
  });
});

describe('events', () => {
  it('are forgotten an hour after they were last written', async () => {
    const plane = await startTestPlane();
    await using _ = plane.runControllers();
    const events = plane.client.resource(coreEvents);
    const create = (name: string) =>
      events.create({ metadata: { namespace: 'default', name }, involvedObject: {}, reason: 'Test' });
    await create('once');
    await create('twice');
    await plane.clock.advance(1_800_000);
    await events.patch('default/twice', { type: 'merge', body: { count: 2 } });
    await plane.clock.advance(1_800_000);
    expect(await events.find('default/once')).toBeUndefined();
    expect(await events.find('default/twice')).toBeDefined();
    await plane.clock.advance(1_800_000);
    expect(await events.find('default/twice')).toBeUndefined();
  });
});
