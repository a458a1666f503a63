import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { job } from '../fixtures/manifests.ts';
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
    await world.edit(configMap('beside'), { data: { changed: 'by another' } });
    await world.advance(3_600_000);
    expect(await content()).toEqual({ from: 'second' });
    expect(await applied('first')).toEqual(['False', 'True']);
    expect(await applied('second')).toEqual(['True']);
  });

  it('is as the other one says when its spec changes', async () => {
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

describe('an object of which two works have the same manifest', () => {
  const owners = async (name: string) => (await world.object(job(name)))?.metadata?.ownerReferences?.length;

  it('is applied by both, also where the server filled in what cannot be changed', async () => {
    await world.createWork('one', [job('same')]);
    await world.createWork('other', [job('same')]);
    expect(await applied('one')).toEqual(['True']);
    expect(await applied('other')).toEqual(['True']);
    expect(await owners('same')).toBe(2);
  });

  it('is applied by both after a restart of the agent', async () => {
    await world.start();
    await world.advance(3_600_000);
    expect(await applied('one')).toEqual(['True']);
    expect(await applied('other')).toEqual(['True']);
  });

  it('is applied by the second one also when its first try fails', async () => {
    await world.createWork('one-again', [job('retried')]);
    let isFirst = true;
    world.failWith(({ method, path }) => {
      if (method !== 'PUT' || !path.endsWith('/retried') || !isFirst) return undefined;
      isFirst = false;
      return 'Unavailable';
    });
    await world.createWork('other-again', [job('retried')]);
    expect(await applied('other-again')).toEqual(['False']);
    await world.advance(1_000);
    world.failWith(undefined);
    expect(await applied('other-again')).toEqual(['True']);
    expect(await owners('retried')).toBe(2);
  });

  it('stays when one of the works goes, and goes with the last', async () => {
    await world.deleteWork('one');
    expect(await owners('same')).toBe(1);
    await world.deleteWork('other');
    expect(await world.object(job('same'))).toBeUndefined();
  });
});

describe('a new order whose first try fails', () => {
  it('is carried out in full by the next try', async () => {
    await world.createWork('drops', [configMap('drops', { kept: 'yes', dropped: 'soon' })]);
    await world.createWork('drops-2', [configMap('contested', { from: 'the first' })]);
    world.failWith(({ method, side }) => (side === 'spoke' && method === 'GET' ? 'Unavailable' : undefined));
    await world.updateManifests('drops', [configMap('drops', { kept: 'yes' })]);
    await world.createWork('drops-3', [configMap('contested', { from: 'the later' })]);
    world.failWith(undefined);
    await world.advance(1_000);
    expect((await world.object(configMap('drops')))?.data).toEqual({ kept: 'yes' });
    expect((await world.object(configMap('contested')))?.data).toEqual({ from: 'the later' });
    expect(await applied('drops-3')).toEqual(['True']);
  });
});
