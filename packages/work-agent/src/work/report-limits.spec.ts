import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configMap, startWorld, type World } from '../fixtures/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.start();
});
afterAll(() => world[Symbol.asyncDispose]());

const manifests = Array.from({ length: 100 }, (_, index) => configMap(`m${index}`));
const jsonPaths = Array.from({ length: 250 }, (_, index) => ({ name: `p${index}`, path: '.kind' }));
const configFor = (name: string, paths: typeof jsonPaths) => ({
  resourceIdentifier: { group: '', resource: 'configmaps', namespace: 'default', name },
  feedbackRules: [{ type: 'JSONPaths' as const, jsonPaths: paths }],
});

describe('a work with more values than are reported', () => {
  const valuesOfFirst = async () => {
    const [first] = (await world.work('large'))?.status?.resourceStatus?.manifests ?? [];
    const synced = first?.conditions.find(({ type }) => type === 'StatusFeedbackSynced');
    return [first?.statusFeedback?.values?.length, synced?.message];
  };
  const cut = 'only the first 200 values of a manifest of this work are reported: remove paths, or split the work';

  it('reports all of them when it was split, and does not read objects whose values had room', async () => {
    await world.createWork('large', manifests, {
      manifestConfigs: [configFor('m0', jsonPaths), configFor('*', jsonPaths.slice(0, 1))],
    });
    expect(await valuesOfFirst()).toEqual([200, expect.stringContaining(cut)]);
    await world.advance(1_000);
    world.takeRequests();
    await world.updateManifests('large', manifests.slice(0, 50));
    expect(await valuesOfFirst()).toEqual([250, expect.not.stringContaining('only the first')]);
    expect(world.takeRequests('spoke').filter((request) => request.startsWith('GET'))).toEqual([
      'GET namespaces/default/configmaps/m0',
    ]);
  });

  it('reports as many as there is room for when it grows again', async () => {
    await world.updateManifests('large', manifests);
    expect(await valuesOfFirst()).toEqual([200, expect.stringContaining(cut)]);
  });
});
