import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { conditionStatuses, configMap, ofManifests, startWorld, type World } from '../fixtures/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.start();
});
afterAll(() => world[Symbol.asyncDispose]());

describe('a work with one config map', () => {
  const cm = configMap('first', { a: '1' });

  it('[work 18.A-1] is applied by one finalizer and one status on the hub, and reported as applied and available', async () => {
    // The kinds of the cluster are read once.
    await world.createWork('warm-up', [configMap('warm-up')]);
    world.takeRequests();
    await world.createWork('first', [cm]);
    expect(world.takeRequests()).toEqual([
      'PATCH manifestworks/first',
      'POST namespaces/default/configmaps',
      'PATCH manifestworks/first/status',
      `PATCH appliedmanifestworks/${world.hubHash}-first/status`,
    ]);
    const work = await world.work('first');
    expect(conditionStatuses(work?.status?.conditions)).toEqual(['Applied=True', 'Available=True']);
    expect(ofManifests(work, 'Applied')).toEqual(['True']);
    expect(ofManifests(work, 'Available')).toEqual(['True']);
    const object = await world.object(cm);
    expect(object?.data).toEqual({ a: '1' });
    expect(object?.metadata?.managedFields?.map(({ manager }) => manager)).toEqual(['work-agent']);
  });

  it('[work 18.A-31] [work 18.G-85] is not synced for a change of anything but its spec', async () => {
    const works = await world.hub.client.dynamic({
      apiVersion: 'work.open-cluster-management.io/v1',
      kind: 'ManifestWork',
    });
    world.takeRequests();
    await works.patch('c1/first', { type: 'merge', body: { metadata: { annotations: { a: 'b' } } } });
    await world.quiet();
    expect(world.takeRequests()).toEqual([]);
  });

  it('[work 18.A-30] [work 18.A-31] [work 18.H-99] gets its finalizer back, and keeps those of others', async () => {
    const works = await world.hub.client.dynamic({
      apiVersion: 'work.open-cluster-management.io/v1',
      kind: 'ManifestWork',
    });
    await works.patch('c1/first', { type: 'merge', body: { metadata: { finalizers: ['example.com/theirs'] } } });
    await world.quiet();
    expect((await world.work('first'))?.metadata.finalizers).toEqual([
      'example.com/theirs',
      'cluster.open-cluster-management.io/manifest-work-cleanup',
    ]);
    await works.patch('c1/first', {
      type: 'merge',
      body: { metadata: { finalizers: ['cluster.open-cluster-management.io/manifest-work-cleanup'] } },
    });
    await world.quiet();
  });

  it('writes nothing again when nothing changes', async () => {
    world.takeRequests();
    await world.advance(3_600_000);
    expect(world.takeRequests()).toEqual([]);
  });

  it('[work 18.G-89] undoes what others change, and recreates what they delete', async () => {
    await world.edit(cm, { data: { a: 'other', b: '2' } });
    expect((await world.object(cm))?.data).toEqual({ a: '1' });
    await world.remove(cm);
    const again = await world.object(cm);
    expect(again?.data).toEqual({ a: '1' });
    expect((await world.appliedWork('first'))?.status?.appliedResources).toMatchObject([{ uid: again?.metadata?.uid }]);
  });

  it('[work 18.A-14] takes over a change on the hub by one write on each side', async () => {
    world.takeRequests();
    await world.updateManifests('first', [configMap('first', { a: '2' })]);
    expect(world.takeRequests()).toEqual([
      'GET namespaces/default/configmaps/first',
      'PUT namespaces/default/configmaps/first',
      'PATCH manifestworks/first/status',
    ]);
    const work = await world.work('first');
    expect(work?.status?.conditions?.map(({ observedGeneration }) => observedGeneration)).toEqual([2, 2]);
  });

  it('[work 18.A-3] is removed with all that it applied', async () => {
    world.takeRequests();
    await world.deleteWork('first');
    expect(world.takeRequests()).toEqual([
      'PATCH manifestworks/first/status',
      `DELETE appliedmanifestworks/${world.hubHash}-first`,
      'DELETE namespaces/default/configmaps/first',
      `PATCH appliedmanifestworks/${world.hubHash}-first`,
      'PATCH manifestworks/first',
    ]);
    expect(await world.work('first')).toBeUndefined();
    expect(await world.appliedWork('first')).toBeUndefined();
    expect(await world.object(cm)).toBeUndefined();
  });
});
