import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configMap, startWorld, type World } from '../fixtures/world.ts';
import { Writers } from './writers.ts';

describe('who wrote an object last', () => {
  it('is forgotten when that work releases it, and not when another one does', () => {
    const writers = new Writers();
    writers.set('a', 'work c1/one');
    writers.set('b', 'work c1/two');
    writers.release('work c1/one', ['a', 'b']);
    expect([writers.get('a'), writers.get('b')]).toEqual([undefined, 'work c1/two']);
  });
});

describe('an agent whose works come and go', () => {
  let world: World;
  const writers = new Writers();
  beforeAll(async () => {
    world = await startWorld();
    await world.start({ writers });
  });
  afterAll(() => world[Symbol.asyncDispose]());

  it('remembers nothing of what they wrote', async () => {
    await world.createWork('comes', [configMap('stays'), configMap('goes')]);
    expect(writers.size).toBe(2);
    await world.updateManifests('comes', [configMap('stays')]);
    expect(writers.size).toBe(1);
    await world.deleteWork('comes');
    expect(writers.size).toBe(0);
  });
});
