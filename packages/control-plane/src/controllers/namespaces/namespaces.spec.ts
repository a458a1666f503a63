import { configMaps, namespaces, pods, secrets, serviceAccounts } from '@flotilla/kube/kinds';
import { describe, expect, it } from 'vitest';
import { startTestPlane } from '../../../fixtures/test-plane.ts';

describe('the controllers of namespaces', () => {
  it('give each namespace a default service account and the root CA, and bring them back', async () => {
    const plane = await startTestPlane();
    await using _ = plane.runControllers();
    await plane.client.resource(namespaces).create({ metadata: { name: 'x' } });
    await plane.quiet();
    const account = await plane.client.resource(serviceAccounts).get('x/default');
    await plane.client.resource(serviceAccounts).delete('x/default');
    await plane.client
      .resource(configMaps)
      .patch('x/kube-root-ca.crt', { type: 'merge', body: { data: { 'ca.crt': 'bad' } } });
    await plane.quiet();
    expect((await plane.client.resource(serviceAccounts).get('x/default')).metadata?.uid).not.toBe(
      account.metadata?.uid,
    );
    expect((await plane.client.resource(configMaps).get('x/kube-root-ca.crt')).data).toEqual({ 'ca.crt': 'PEM' });
  });

  it('begin a namespace as active and held by its finalizer', async () => {
    const plane = await startTestPlane();
    const created = await plane.client.resource(namespaces).create({ metadata: { name: 'x' } });
    expect(created).toMatchObject({ spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } });
  });

  it('delete the content of a namespace that is deleted, and finalize it', async () => {
    const plane = await startTestPlane();
    await using _ = plane.runControllers();
    const { client } = plane;
    await client.resource(namespaces).create({ metadata: { name: 'x' } });
    await client.resource(secrets).create({ metadata: { namespace: 'x', name: 's' } });
    await client.resource(secrets).create({ metadata: { namespace: 'default', name: 's' } });
    await plane.quiet();
    await client.resource(namespaces).delete('x');
    await plane.quiet();
    expect(await client.resource(namespaces).find('x')).toBeUndefined();
    expect(await client.resource(secrets).find('x/s')).toBeUndefined();
    expect(await client.resource(secrets).find('default/s')).toBeDefined();
  });

  it('say what holds a namespace up, and go on when it is gone', async () => {
    const plane = await startTestPlane();
    await using _ = plane.runControllers();
    const { client } = plane;
    await client.resource(namespaces).create({ metadata: { name: 'x' } });
    await client
      .resource(secrets)
      .create({ metadata: { namespace: 'x', name: 's', finalizers: ['example.com/hold'] } });
    await client.resource(namespaces).delete('x');
    await plane.quiet();
    const { status } = await client.resource(namespaces).get('x');
    expect(status?.phase).toBe('Terminating');
    expect(status?.conditions?.map(({ type, status, reason, message }) => [type, status, reason, message])).toEqual([
      ['NamespaceDeletionDiscoveryFailure', 'False', 'ResourcesDiscovered', 'All resources successfully discovered'],
      [
        'NamespaceDeletionGroupVersionParsingFailure',
        'False',
        'ParsedGroupVersions',
        'All legacy kube types successfully parsed',
      ],
      [
        'NamespaceDeletionContentFailure',
        'False',
        'ContentDeleted',
        'All content successfully deleted, may be waiting on finalization',
      ],
      [
        'NamespaceContentRemaining',
        'True',
        'SomeResourcesRemain',
        'Some resources are remaining: secrets. has 1 resource instances',
      ],
      [
        'NamespaceFinalizersRemaining',
        'True',
        'SomeFinalizersRemain',
        'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
      ],
    ]);
    const { revision } = plane.backend.storage;
    await plane.clock.advance(60_000);
    expect(plane.backend.storage.revision).toBe(revision);
    await client.resource(secrets).patch('x/s', { type: 'merge', body: { metadata: { finalizers: null } } });
    await plane.quiet();
    expect(await client.resource(namespaces).find('x')).toBeUndefined();
  });

  it('let pods end before anything else goes', async () => {
    const plane = await startTestPlane();
    await using _ = plane.runControllers();
    const { client } = plane;
    await client.resource(namespaces).create({ metadata: { name: 'x' } });
    await client.resource(secrets).create({ metadata: { namespace: 'x', name: 's' } });
    const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] };
    await client.resource(pods).create({ metadata: { namespace: 'x', name: 'p' }, spec });
    await client.resource(namespaces).delete('x');
    await plane.quiet();
    expect((await client.resource(pods).get('x/p')).metadata?.deletionGracePeriodSeconds).toBe(30);
    expect(await client.resource(secrets).find('x/s')).toBeDefined();
    await client.resource(pods).delete('x/p', { gracePeriodSeconds: 0 });
    await plane.quiet();
    expect(await client.resource(namespaces).find('x')).toBeUndefined();
  });

  it('keep a namespace that has another finalizer', async () => {
    const plane = await startTestPlane();
    await using _ = plane.runControllers();
    const { client } = plane;
    await client.resource(namespaces).create({ metadata: { name: 'x', finalizers: ['example.com/hold'] } });
    await client.resource(namespaces).delete('x');
    await plane.quiet();
    expect((await client.resource(namespaces).get('x')).spec?.finalizers ?? []).toEqual([]);
    await client.resource(namespaces).patch('x', { type: 'merge', body: { metadata: { finalizers: null } } });
    expect(await client.resource(namespaces).find('x')).toBeUndefined();
  });
});
