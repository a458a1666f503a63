import { appliedManifestWorks } from '@flotilla/api-types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gadget, gadgetDefinition, namespace } from '../fixtures/manifests.ts';
import { configMap, ofManifests, startWorld, type World } from '../fixtures/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.start();
});
afterAll(() => world[Symbol.asyncDispose]());

const hold = { metadata: { finalizers: ['example.com/hold'] } };
const releaseFinalizers = { metadata: { finalizers: null } };
const listed = async (name: string) => (await world.appliedWork(name))?.status?.appliedResources ?? [];

describe('a manifest about the object of another one', () => {
  it('does not bring back the record of an object that was recreated', async () => {
    const group = 'duplicates.example.com';
    const [one, other] = [gadget(group, 'g'), gadget(group, 'g', {}, 'v2')];
    await world.createWork('duplicates', [gadgetDefinition(group), one, other]);
    expect(ofManifests(await world.work('duplicates'), 'Applied')).toEqual(['True', 'True', 'False']);
    expect(ofManifests(await world.work('duplicates'), 'Available')).toEqual(['True', 'True', 'False']);
    await world.remove(one);
    const { uid } = (await world.object(one))?.metadata ?? {};
    expect(uid).toBeDefined();
    expect(await listed('duplicates')).toContainEqual(expect.objectContaining({ resource: 'gadgets', uid }));
    await world.deleteWork('duplicates');
  });
});

describe('an object that is being deleted and cannot be watched', () => {
  it('is read again until it is gone', async () => {
    world.failWith(({ side, path, isWatch, method }) =>
      side === 'spoke' && (isWatch || method === 'GET') && path.endsWith('/configmaps') ? 'Forbidden' : undefined,
    );
    await world.start({ options: { pollMs: 10_000 } });
    await world.createWork('unwatched', [configMap('old')]);
    await world.edit(configMap('old'), hold);
    await world.updateManifests('unwatched', [namespace('new')]);
    await world.advance(60_000);
    expect(await listed('unwatched')).toHaveLength(2);
    await world.edit(configMap('old'), releaseFinalizers);
    await world.advance(16_000);
    expect(await listed('unwatched')).toMatchObject([{ resource: 'namespaces', name: 'new' }]);
    world.failWith(undefined);
    await world.start();
  });
});

describe('a definition that the server refuses', () => {
  it('does not hold up the other manifests of its work', async () => {
    await world.create(gadgetDefinition('known.example.com'));
    world.failWith(({ method, path }) =>
      method === 'POST' && path === 'customresourcedefinitions' ? 'Invalid' : undefined,
    );
    const other = gadget('known.example.com', 'other');
    const group = 'refused.example.com';
    await world.createWork('refused', [gadgetDefinition(group), gadget(group, 'its'), other]);
    expect(ofManifests(await world.work('refused'), 'Applied')).toEqual(['False', 'False', 'True']);
    world.failWith(undefined);
    await world.deleteWork('refused');
  });
});

describe('a namespace that is being terminated', () => {
  it('is waited for, and for the next one of its name', async () => {
    await world.create(namespace('ending'));
    await world.create({
      ...configMap('held', {}, 'ending'),
      ...{ metadata: { ...hold.metadata, namespace: 'ending', name: 'held' } },
    });
    await world.remove(namespace('ending'));
    await world.createWork('ending', [configMap('cm', {}, 'ending')]);
    expect(ofManifests(await world.work('ending'), 'Applied')).toEqual(['False']);
    await world.advance(3_600_000);
    await world.edit(configMap('held', {}, 'ending'), releaseFinalizers);
    await world.advance(1_000);
    expect(await world.object(namespace('ending'))).toBeUndefined();
    await world.create(namespace('ending'));
    expect(await world.object(configMap('cm', {}, 'ending'))).toBeDefined();
  });
});

describe('a deletion that the cluster failed for a long time', () => {
  it('goes on within half a minute when it can', async () => {
    await world.createWork('failing', [configMap('failing')]);
    world.failWith(({ method, path }) =>
      method === 'DELETE' && path.endsWith('/configmaps/failing') ? 'Internal' : undefined,
    );
    await world.deleteWork('failing');
    await world.advance(3_600_000);
    world.failWith(undefined);
    await world.advance(31_000);
    expect(await world.work('failing')).toBeUndefined();
  });
});

describe('a status that the hub does not take because another writer was faster', () => {
  it('is not sent again and again until the agent observes that writer', async () => {
    let refusals = 0;
    world.failWith(({ path }) => {
      if (path !== 'manifestworks/late/status') return undefined;
      refusals += 1;
      return 'Conflict';
    });
    await world.createWork('late', [configMap('late')]);
    for (let second = 0; second < 120; second += 1) await world.advance(1_000);
    expect(refusals).toBeGreaterThan(5);
    expect(refusals).toBeLessThan(20);
    world.failWith(undefined);
    await world.advance(31_000);
    expect(ofManifests(await world.work('late'), 'Applied')).toEqual(['True']);
  });
});

describe('a kind that a work does not name any more', () => {
  it('is not waited for', async () => {
    await world.createWork('mistaken', [gadget('mistake.example.com', 'g')]);
    await world.updateManifests('mistaken', [configMap('fixed')]);
    world.takeRequests();
    await world.create(gadgetDefinition('mistake.example.com'));
    expect(world.takeRequests('spoke')).toEqual([]);
  });
});

describe('a work that must wait', () => {
  const appliedOf = async (name: string) =>
    (await world.work(name))?.status?.conditions?.find(({ type }) => type === 'Applied');

  it('says that its name is too long for its record', async () => {
    const name = 'n'.repeat(200);
    await world.createWork(name, [configMap('unnamed')]);
    expect(await appliedOf(name)).toMatchObject({
      status: 'False',
      reason: 'AppliedManifestWorkFailed',
      message: expect.stringMatching(/^Failed to apply manifest work: .*must be no more than 253/),
    });
    expect(await world.object(configMap('unnamed'))).toBeUndefined();
    world.takeRequests();
    await world.advance(60_000);
    expect(world.takeRequests('hub')).toEqual([]);
    await world.deleteWork(name);
    expect(await world.work(name)).toBeUndefined();
  });

  it('says that an earlier work of its name is still being removed', async () => {
    await world.createWork('namesake', [configMap('held')]);
    await world.edit(configMap('held'), hold);
    await world.stop();
    await world.spoke.client.resource(appliedManifestWorks).delete(`${world.hubHash}-namesake`);
    await world.start();
    expect((await appliedOf('namesake'))?.message).toContain(
      'what an earlier work of this name applied is still being removed',
    );
    await world.edit(configMap('held'), releaseFinalizers);
    await world.quiet();
    expect((await appliedOf('namesake'))?.status).toBe('True');
    await world.deleteWork('namesake');
  });
});
