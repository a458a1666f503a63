import { appliedManifestWorks, manifestWorks } from '@flotilla/api-types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configMap, startWorld, type World } from '../fixtures/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.start();
});
afterAll(() => world[Symbol.asyncDispose]());

describe('labels of a work', () => {
  it('[work 18.A-21] are passed on to the record at any time', async () => {
    await world.createWork('labelled', [configMap('labelled')]);
    await world.hub.client
      .resource(manifestWorks)
      .patch('c1/labelled', { type: 'merge', body: { metadata: { labels: { team: 'a' } } } });
    await world.quiet();
    expect((await world.appliedWork('labelled'))?.metadata?.labels).toEqual({ team: 'a' });
  });

  it('are removed from the record with the work losing them, and labels of other clients stay', async () => {
    const works = world.hub.client.resource(manifestWorks);
    const records = world.spoke.client.resource(appliedManifestWorks);
    const label = (labels: object) => ({ type: 'merge', body: { metadata: { labels } } }) as const;
    await records.patch(`${world.hubHash}-labelled`, label({ theirs: 'x' }), { fieldManager: 'other' });
    await works.patch('c1/labelled', label({ team: null, stage: 'test' }));
    await world.quiet();
    expect((await world.appliedWork('labelled'))?.metadata?.labels).toEqual({ theirs: 'x', stage: 'test' });
    world.takeRequests();
    await world.advance(3_600_000);
    expect(world.takeRequests()).toEqual([]);
  });
});
