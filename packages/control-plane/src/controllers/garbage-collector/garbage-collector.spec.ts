import { type ConfigMap, configMaps, namespaces, nodes, secrets } from '@flotilla/kube/kinds';
import type { KubeObject, OwnerReference } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { startTestPlane, type TestPlane } from '../../../fixtures/test-plane.ts';

const ownedBy = (owner: KubeObject, fields: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: owner.metadata?.name ?? '',
  uid: owner.metadata?.uid ?? '',
  ...fields,
});

const create = (plane: TestPlane, name: string, owners: OwnerReference[] = [], finalizers: string[] = []) =>
  plane.client.resource(configMaps).create({
    metadata: { namespace: 'default', name, ...(owners.length > 0 && { ownerReferences: owners }), finalizers },
  });

const names = async (plane: TestPlane): Promise<string[]> => {
  await plane.quiet();
  const { items } = await plane.client.resource(configMaps).list({ namespace: 'default' });
  return items.map(({ metadata }) => metadata?.name ?? '').filter((name) => name !== 'kube-root-ca.crt');
};

const find = (plane: TestPlane, name: string): Promise<ConfigMap | undefined> =>
  plane.client.resource(configMaps).find(`default/${name}`);

const remove = (plane: TestPlane, name: string, propagationPolicy?: 'Background' | 'Foreground' | 'Orphan') =>
  plane.client.resource(configMaps).delete(`default/${name}`, propagationPolicy ? { propagationPolicy } : {});

describe('the garbage collector', () => {
  it('deletes dependents of dependents after their owner', async () => {
    const plane = await startTestPlane();
    await using _ = plane.runControllers();
    const owner = await create(plane, 'owner');
    const child = await create(plane, 'child', [ownedBy(owner)]);
    await create(plane, 'grandchild', [ownedBy(child)]);
    await create(plane, 'unowned');
    await plane.quiet();
    await remove(plane, 'owner', 'Background');
    expect(await names(plane)).toEqual(['unowned']);
  });

  it('deletes an object that is created with an owner who is gone, or in another namespace, or a namesake', async () => {
    const plane = await startTestPlane();
    await using _ = plane.runControllers();
    await plane.client.resource(namespaces).create({ metadata: { name: 'other' } });
    const elsewhere = await plane.client
      .resource(configMaps)
      .create({ metadata: { namespace: 'other', name: 'owner' } });
    await create(plane, 'owner');
    await create(plane, 'of-gone', [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'gone' }]);
    await create(plane, 'of-elsewhere', [ownedBy(elsewhere)]);
    expect(await names(plane)).toEqual(['owner']);
  });

  it('keeps an object as long as one owner stays, and drops its references to the others', async () => {
    const plane = await startTestPlane();
    await using _ = plane.runControllers();
    const [first, second] = [await create(plane, 'first'), await create(plane, 'second')];
    await create(plane, 'child', [ownedBy(first), ownedBy(second)]);
    await remove(plane, 'first');
    expect(await names(plane)).toEqual(['child', 'second']);
    expect((await find(plane, 'child'))?.metadata?.ownerReferences).toEqual([ownedBy(second)]);
  });

  it('keeps an object whose owner is of a kind that is not served, or that cannot own it', async () => {
    const plane = await startTestPlane();
    await using _ = plane.runControllers();
    await create(plane, 'child', [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid: 'w' }]);
    const secret = await plane.client.resource(secrets).create({ metadata: { namespace: 'default', name: 's' } });
    const reference = { apiVersion: 'v1', kind: 'Secret', name: 's', uid: secret.metadata?.uid ?? '' };
    await plane.client.resource(nodes).create({ metadata: { name: 'node', ownerReferences: [reference] } });
    expect(await names(plane)).toEqual(['child']);
    expect(await plane.client.resource(nodes).find('node')).toBeDefined();
  });

  it('in the foreground, keeps the owner until the dependents that block it are gone', async () => {
    const plane = await startTestPlane();
    await using _ = plane.runControllers();
    const owner = await create(plane, 'owner');
    const reference = ownedBy(owner, { blockOwnerDeletion: true });
    const held = await create(plane, 'held', [reference], ['example.com/hold']);
    await create(plane, 'free', [reference]);
    await remove(plane, 'owner', 'Foreground');
    expect(await names(plane)).toEqual(['held', 'owner']);
    expect((await find(plane, 'owner'))?.metadata?.finalizers).toEqual(['foregroundDeletion']);
    expect((await find(plane, 'held'))?.metadata?.deletionTimestamp).toBeDefined();
    await plane.client.resource(configMaps).patch(`default/${held.metadata?.name}`, {
      type: 'merge',
      body: { metadata: { finalizers: null } },
    });
    expect(await names(plane)).toEqual([]);
  });

  it('in the foreground, does not wait for dependents that do not block', async () => {
    const plane = await startTestPlane();
    await using _ = plane.runControllers();
    const owner = await create(plane, 'owner');
    await create(plane, 'held', [ownedBy(owner)], ['example.com/hold']);
    await remove(plane, 'owner', 'Foreground');
    expect(await names(plane)).toEqual(['held']);
  });

  it('in the foreground, ends a circle of owners', async () => {
    const plane = await startTestPlane();
    await using _ = plane.runControllers();
    const a = await create(plane, 'a');
    const b = await create(plane, 'b', [ownedBy(a, { blockOwnerDeletion: true })]);
    await plane.client.resource(configMaps).patch('default/a', {
      type: 'merge',
      body: { metadata: { ownerReferences: [ownedBy(b, { blockOwnerDeletion: true })] } },
    });
    await remove(plane, 'a', 'Foreground');
    expect(await names(plane)).toEqual([]);
  });

  it('orphans dependents when asked to', async () => {
    const plane = await startTestPlane();
    await using _ = plane.runControllers();
    const owner = await create(plane, 'owner');
    await create(plane, 'child', [ownedBy(owner)]);
    await remove(plane, 'owner', 'Orphan');
    expect(await names(plane)).toEqual(['child']);
    expect((await find(plane, 'child'))?.metadata?.ownerReferences ?? []).toEqual([]);
  });

  it('collects what was left behind while it did not run, and then is silent', async () => {
    const plane = await startTestPlane();
    const owner = await create(plane, 'owner');
    await create(plane, 'child', [ownedBy(owner)]);
    await remove(plane, 'owner');
    await using _ = plane.runControllers();
    expect(await names(plane)).toEqual([]);
    const { revision } = plane.backend.storage;
    await plane.clock.advance(60_000);
    expect(plane.backend.storage.revision).toBe(revision);
  });
});
