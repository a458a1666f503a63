import { afterAll, beforeAll, expect, it } from 'vitest';
import { deployment, gadget, gadgetDefinition } from '../fixtures/manifests.ts';
import { conditionStatuses, configMap, startWorld, type World } from '../fixtures/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

/** Starts an agent that dies at its n-th request that is not a read, does something meanwhile, and starts another one. */
async function killedAt(write: number, act: () => Promise<void>): Promise<void> {
  let writes = 0;
  world.failWith(({ method }) => {
    if (method !== 'GET') writes += 1;
    return writes >= write ? 'Unavailable' : undefined;
  });
  await world.start();
  await act();
  await world.stop();
  world.failWith(undefined);
  await world.start();
  await world.advance(1_000);
}

const steps = Array.from({ length: 12 }, (_, index) => index + 1);

it.each(steps)(
  'an agent that dies at write %i of an application, an update or a deletion leaves nothing undone and nothing over',
  async (step) => {
    const group = `kill${step}.example.com`;
    const name = `kill-${step}`;
    const kept = configMap(`${name}-kept`, { a: '1' });
    const dropped = configMap(`${name}-dropped`);
    const first = [gadgetDefinition(group), gadget(group, 'g1'), kept, dropped, deployment(name, 1)];
    const changed = configMap(`${name}-kept`, { a: '2' });
    const second = [gadgetDefinition(group), gadget(group, 'g1'), changed, deployment(name, 2)];

    await killedAt(step, () => world.createWork(name, first));
    expect(conditionStatuses((await world.work(name))?.status?.conditions)).toEqual(['Applied=True', 'Available=True']);
    expect((await world.appliedWork(name))?.status?.appliedResources).toHaveLength(first.length);
    const { uid } = (await world.object(kept))?.metadata ?? {};

    await killedAt(step, () => world.updateManifests(name, second));
    expect(conditionStatuses((await world.work(name))?.status?.conditions)).toEqual(['Applied=True', 'Available=True']);
    expect(await world.object(changed)).toMatchObject({ data: { a: '2' }, metadata: { uid } });
    expect((await world.object(deployment(name)))?.spec).toMatchObject({ replicas: 2 });
    expect(await world.object(dropped)).toBeUndefined();
    expect((await world.appliedWork(name))?.status?.appliedResources).toHaveLength(second.length);

    await killedAt(step, () => world.deleteWork(name));
    expect(await world.work(name)).toBeUndefined();
    expect(await world.appliedWork(name)).toBeUndefined();
    expect(await world.object(kept)).toBeUndefined();
    expect(await world.object(deployment(name))).toBeUndefined();
    expect(await world.object(gadgetDefinition(group))).toBeUndefined();
  },
);
