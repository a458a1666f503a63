import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configMap, ofManifests, startWorld, type World } from '../fixtures/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.start();
});
afterAll(() => world[Symbol.asyncDispose]());

const applied = async (name: string) => ofManifests(await world.work(name), 'Applied');
const content = async () => (await world.object(configMap('both')))?.data;

describe('an object of which two works want different content', () => {
  it('is as the later order says, whatever wakes the other work', async () => {
    await world.createWork('first', [configMap('both', { from: 'first' }), configMap('beside')]);
    await world.createWork('second', [configMap('both', { from: 'second' })]);
    expect(await content()).toEqual({ from: 'second' });
    await world.edit(configMap('beside'), { data: { changed: 'by somebody' } });
    await world.pass(3_600_000);
    expect(await content()).toEqual({ from: 'second' });
    expect(await applied('first')).toEqual(['False', 'True']);
    expect(await applied('second')).toEqual(['True']);
  });

  it('is as the other one says when it orders anew', async () => {
    await world.updateManifests('first', [configMap('both', { from: 'first, again' }), configMap('beside')]);
    expect(await content()).toEqual({ from: 'first, again' });
    expect(await applied('second')).toEqual(['False']);
  });

  it('is as the one says that is left', async () => {
    await world.deleteWork('first');
    expect(await content()).toEqual({ from: 'second' });
    expect(await applied('second')).toEqual(['True']);
  });
});
