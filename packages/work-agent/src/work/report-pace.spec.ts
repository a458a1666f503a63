import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configMap, startWorld, type World } from '../fixtures/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.start();
});
afterAll(() => world[Symbol.asyncDispose]());

const rules = [{ type: 'JSONPaths' as const, jsonPaths: [{ name: 'count', path: '.data.count' }] }];
const manifestConfigs = [
  {
    resourceIdentifier: { group: '', resource: 'configmaps', namespace: 'default', name: 'busy' },
    updateStrategy: { type: 'CreateOnly' as const },
    feedbackRules: rules,
  },
];
const count = (value: number) => world.edit(configMap('busy'), { data: { count: String(value) } });
const reported = async () =>
  (await world.work('busy'))?.status?.resourceStatus?.manifests?.[0]?.statusFeedback?.values?.[0]?.fieldValue.string;
const writes = () =>
  world.takeRequests('hub').filter((request) => request === 'PATCH manifestworks/busy/status').length;

describe('feedback of an object that changes many times a second', () => {
  it('is written at once, and then at most once a second', async () => {
    await world.createWork('busy', [configMap('busy', { count: '0' })], { manifestConfigs });
    expect(await reported()).toBe('0');
    writes();
    await count(1);
    expect(await reported()).toBe('1');
    expect(writes()).toBe(1);
    for (let value = 2; value <= 20; value += 1) {
      await world.advance(100);
      await count(value);
    }
    expect(writes()).toBeLessThanOrEqual(2);
    await world.advance(1_000);
    expect(await reported()).toBe('20');
    expect(writes()).toBe(1);
  });

  it('is written at once again after a pause', async () => {
    await world.advance(10_000);
    await count(21);
    expect(await reported()).toBe('21');
  });

  it('does not hold up what the agent itself has to say', async () => {
    await count(22);
    await world.updateManifests('busy', [configMap('busy'), configMap('beside')]);
    expect((await world.work('busy'))?.status?.resourceStatus?.manifests).toHaveLength(2);
  });
});
