import type { EmbeddedResource } from '@flotilla/api-types';
import { configMaps } from '@flotilla/kube';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Program } from '../registration/program.ts';
import { configMap } from '../work/manifests.ts';
import { appliedWorkOf, manifestOf, workCondition } from '../work/work-world.ts';
import { normalised } from './normalised.ts';
import { workCases } from './work-cases.ts';
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

  describe('are reported in the same words', () => {
    type Written = Readonly<Record<string, unknown>>;
    let ours: Written;
    let theirs: Written;
    beforeAll(async () => {
      theirs = await ofAgent('of-ocm', agents.theirs);
      ours = await ofAgent('of-ours', agents.ours);
    }, 240_000);

    it.each(Object.keys(workCases))('%s', (title) => {
      expect(ours[title]).toEqual(theirs[title]);
    });
  });

  /** What an agent makes of the cases: of the work, of what it remembers, and of the objects while and after the work is there. */
  async function ofAgent(agentName: string, start: () => Promise<Program>): Promise<Record<string, unknown>> {
    const agent = await start();
    const written = await Promise.all(
      Object.entries(workCases).map(
        async ([title, { manifests, options, before, after, isTold, isBetterRemembered }], index) => {
          const name = `${agentName}-${index}`;
          await before?.(world.managed, name);
          await world.create(name, manifests(name), options?.(name));
          if (after) {
            await world.until(name, 'applied', (work) => workCondition(work, 'Applied') === 'True');
            await after(world.managed, name);
          }
          const work = await world.until(name, `${title}: all told`, isTold);
          const applied = await appliedWorkOf(world, name);
          const objects = await objectsOf(manifests(name));
          await world.remove(name);
          await world.gone(name);
          const left = await objectsOf(manifests(name));
          const found = isBetterRemembered ? { work, objects } : { work, objects, applied, left };
          return [title, found, name] as const;
        },
      ),
    );
    await agent.end();
    return Object.fromEntries(written.map(([title, found, name]) => [title, normalised(found, name)]));
  }

  const objectsOf = (manifests: readonly EmbeddedResource[]) =>
    Promise.all(
      manifests
        .filter(({ kind }) => kind !== 'Unknown')
        .map(async ({ apiVersion = '', kind = '', metadata }) => {
          const handle = await world.managed.dynamic({ apiVersion, kind });
          return (await handle.find(`${metadata?.namespace}/${metadata?.name}`)) ?? 'not there';
        }),
    );
});
