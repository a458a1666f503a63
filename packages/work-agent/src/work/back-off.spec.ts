import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deployment, strategyConfig } from '../fixtures/manifests.ts';
import { configMap, ofManifests, startWorld, type World } from '../fixtures/world.ts';

let world: World;
let refusals = 0;
beforeAll(async () => {
  world = await startWorld();
  await world.start();
});
afterAll(() => world[Symbol.asyncDispose]());

/** Refuses writes of the object with this name, and counts them. */
const refuse = (name: string, code: 'Forbidden' | 'Invalid' | 'Unavailable') => {
  refusals = 0;
  world.failWith(({ side, method, path, body }) => {
    const isWrite = method === 'PUT' || method === 'POST' || method === 'PATCH';
    const isMeant = path.endsWith(`/${name}`) || (body as { metadata?: { name?: string } })?.metadata?.name === name;
    if (side !== 'spoke' || !isWrite || !isMeant) return undefined;
    refusals += 1;
    return code;
  });
};
const refused = (): number => {
  const count = refusals;
  refusals = 0;
  return count;
};
const touch = (name: string, value: number) =>
  world.edit(configMap(name), { metadata: { labels: { touched: String(value) } } });
const applied = async (name: string) => ofManifests(await world.work(name), 'Applied');

describe('a manifest that the server refuses', () => {
  it('is not tried for what happens to its siblings', async () => {
    refuse('bad', 'Forbidden');
    await world.createWork('w', [configMap('good'), configMap('bad')]);
    expect(await applied('w')).toEqual(['True', 'False']);
    refused();
    for (let edit = 0; edit < 40; edit += 1) await touch('good', edit);
    expect(refused()).toBe(0);
  });

  it('is tried as soon after the cause is gone as if its siblings had been quiet', async () => {
    world.failWith(undefined);
    await world.advance(1_000);
    expect(await applied('w')).toEqual(['True', 'True']);
  });

  it('is tried after a while, longer and longer, for at most five minutes', async () => {
    refuse('bad', 'Forbidden');
    await world.updateManifests('w', [configMap('good'), configMap('bad', { a: '2' })]);
    refused();
    await world.advance(3_600_000);
    expect(refused()).toBeLessThan(40);
    world.failWith(undefined);
    await world.advance(300_000);
    expect(await applied('w')).toEqual(['True', 'True']);
  });

  it('is tried at once when the work or the object changes', async () => {
    refuse('bad', 'Invalid');
    await world.updateManifests('w', [configMap('good'), configMap('bad', { a: '3' })]);
    await world.advance(600_000);
    refused();
    await world.edit(configMap('bad'), { data: { b: 'of another' } });
    expect(refused()).toBe(1);
    await world.advance(600_000);
    refused();
    await world.updateManifests('w', [configMap('good', { a: '4' }), configMap('bad', { a: '3' })]);
    expect(refused()).toBe(1);
    world.failWith(undefined);
    await world.deleteWork('w');
  });

  it('is not tried when only the status of its object changes', async () => {
    await world.createWork('app', [deployment('app', 1)]);
    refuse('app', 'Invalid');
    await world.updateManifests('app', [deployment('app', 2)]);
    refused();
    const deployments = await world.spoke.client.dynamic({ apiVersion: 'apps/v1', kind: 'Deployment' });
    for (const replicas of [1, 2, 3]) {
      await deployments.status.patch('default/app', { type: 'merge', body: { status: { replicas } } });
      await world.quiet();
    }
    expect(refused()).toBe(0);
    world.failWith(undefined);
    await world.deleteWork('app');
  });
});

describe('a cluster that does not answer', () => {
  it('is asked again within half a minute, however long it was away', async () => {
    refuse('away', 'Unavailable');
    await world.createWork('away', [configMap('away')]);
    await world.advance(7_200_000);
    world.failWith(undefined);
    await world.advance(30_000);
    expect(await applied('away')).toEqual(['True']);
    await world.deleteWork('away');
  });
});

describe('an apply that conflicts with another manager', () => {
  const ssa = { manifestConfigs: [strategyConfig('configmaps', 'contested', { type: 'ServerSideApply' })] };

  it('is not tried for what happens to its siblings, and at once when the other manager releases the field', async () => {
    await world.create(configMap('contested', { a: 'theirs' }));
    await world.createWork('ssa', [configMap('beside'), configMap('contested', { a: 'ours' })], ssa);
    expect(await applied('ssa')).toEqual(['True', 'False']);
    world.takeRequests();
    for (let edit = 0; edit < 5; edit += 1) await touch('beside', edit);
    expect(world.takeRequests().filter((request) => request.includes('contested'))).toEqual([]);
    await world.edit(configMap('contested'), { data: { a: null } });
    expect(await applied('ssa')).toEqual(['True', 'True']);
  });
});
