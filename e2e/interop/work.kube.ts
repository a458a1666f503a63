import { configMaps, deployments } from '@flotilla/kube';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Program } from '../registration/program.ts';
import { configMap, configOf, instance } from '../work/manifests.ts';
import { appliedWorkOf, manifestOf, workCondition } from '../work/work-world.ts';
import { normalised } from './normalised.ts';
import { startWorkInterop, type WorkInterop } from './work-fleet.ts';

describe("works, our agent and OCM's", () => {
  let world: WorkInterop;
  beforeAll(async () => {
    world = await startWorkInterop();
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(world.logs());
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  const agents = {
    ours: async (): Promise<Program> => world.startAgent(),
    theirs: (): Promise<Program> => world.startOcmAgent(),
  };

  it.each([
    ["ours goes on where OCM's has ended", agents.theirs, agents.ours],
    ["OCM's goes on where ours has ended", agents.ours, agents.theirs],
  ])('%s: nothing is made anew, changes are applied, and all goes with the work', async (_what, first, second) => {
    const maps = world.managed.resource(configMaps);
    const before = await first();
    const made = await world.settled(
      await world.create('moved', [configMap('kept', { a: '1' }), configMap('dropped')]),
    );
    const kept = await maps.get('default/kept');
    const applied = await appliedWorkOf(world, 'moved');
    expect(applied?.status?.appliedResources).toHaveLength(2);
    await before.end();

    const after = await second();
    const changed = await world.change('moved', { workload: { manifests: [configMap('kept', { a: '2' })] } });
    await world.settled(changed);
    await world.onManaged.gone(configMaps, 'default/dropped');
    const { metadata, data } = await maps.get('default/kept');
    expect(data).toEqual({ a: '2' });
    expect(metadata?.uid).toBe(kept.metadata?.uid);
    expect(metadata?.ownerReferences).toEqual(kept.metadata?.ownerReferences);
    const taken = await appliedWorkOf(world, 'moved');
    expect(taken?.metadata?.uid).toBe(applied?.metadata?.uid);
    expect(taken?.spec).toEqual(applied?.spec);
    await expect
      .poll(async () => (await appliedWorkOf(world, 'moved'))?.status?.appliedResources, { timeout: 30_000 })
      .toEqual(applied?.status?.appliedResources?.filter(({ name }) => name === 'kept'));
    expect(manifestOf(await world.until('moved', 'any', () => true))?.resourceMeta).toEqual(
      manifestOf(made)?.resourceMeta,
    );

    await world.remove('moved');
    await world.gone('moved');
    await world.onManaged.gone(configMaps, 'default/kept');
    await expect.poll(() => appliedWorkOf(world, 'moved'), { timeout: 30_000 }).toBeUndefined();
    await after.end();
  });

  /** What an agent makes of works of many kinds; `name` is part of every name. */
  async function ofAgent(name: string, start: () => Promise<Program>): Promise<Record<string, unknown>> {
    const agent = await start();
    const feedbackRules = [{ type: 'WellKnownStatus' as const }];
    const manifestConfigs = [
      configOf('deployments', `${name}-app`, { feedbackRules }, 'apps'),
      configOf('configmaps', `${name}-ssa`, { updateStrategy: { type: 'ServerSideApply' as const } }),
      configOf('configmaps', `${name}-once`, { updateStrategy: { type: 'CreateOnly' as const } }),
    ];
    const good = await world.create(
      name,
      [deployment(`${name}-app`), configMap(`${name}-ssa`, { a: '1' }), configMap(`${name}-once`)],
      { manifestConfigs },
    );
    await world.settled(good);
    await world.managed.resource(deployments).status.patch(`default/${name}-app`, {
      type: 'merge',
      body: {
        status: { observedGeneration: 1, replicas: 2, readyReplicas: 1, availableReplicas: 1, updatedReplicas: 2 },
      },
    });
    const reported = await world.until(name, 'feedback', (work) => {
      const values = manifestOf(work)?.statusFeedback?.values ?? [];
      return values.some(({ fieldValue }) => fieldValue.integer === 2);
    });
    const badName = `${name}-bad`;
    await world.create(badName, [instance('Unknown', `${name}-unknown`), configMap(`${name}-fine`)]);
    const bad = await world.until(
      badName,
      'a failure',
      // OCM's agent says first what it has applied, and by and by what is available.
      (work) => workCondition(work, 'Applied') === 'False' && workCondition(work, 'Available') === 'Unknown',
    );
    const maps = world.managed.resource(configMaps);
    const written = {
      work: normalised(reported, name),
      'a work that cannot be applied': normalised(bad, name),
      'applied work': normalised(await appliedWorkOf(world, name), name),
      deployment: normalised((await world.managed.resource(deployments).get(`default/${name}-app`)).metadata, name),
      'server-side applied': normalised(await maps.get(`default/${name}-ssa`), name),
      'created only': normalised(await maps.get(`default/${name}-once`), name),
    };
    for (const work of [name, badName]) await world.remove(work);
    for (const work of [name, badName]) await world.gone(work);
    await agent.end();
    return written;
  }

  it('are reported in the same words', { timeout: 180_000 }, async () => {
    const theirs = await ofAgent('of-ocm', agents.theirs);
    const ours = await ofAgent('of-ours', agents.ours);
    expect(ours).toEqual(theirs);
  });
});

const deployment = (name: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'default', name },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'app', image: 'app' }] } },
  },
});
