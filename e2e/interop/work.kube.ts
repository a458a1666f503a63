import { isConditionTrue } from '@flotilla/kube';
import { configMaps } from '@flotilla/kube/kinds';
import type { EmbeddedResource } from '@flotilla/schema';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Program } from '../registration/program.ts';
import { configMap, configOf, definition, instance } from '../work/manifests.ts';
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
    const made = await world.synced(
      await world.create('handed-over', [configMap('kept', { a: '1' }), configMap('dropped')]),
    );
    const kept = await maps.get('default/kept');
    const applied = await appliedWorkOf(world, 'handed-over');
    expect(applied?.status?.appliedResources).toHaveLength(2);
    await before.end();

    const after = await second();
    const changed = await world.change('handed-over', { workload: { manifests: [configMap('kept', { a: '2' })] } });
    await world.synced(changed);
    await world.onManaged.gone(configMaps, 'default/dropped');
    const { metadata, data } = await maps.get('default/kept');
    expect(data).toEqual({ a: '2' });
    expect(metadata?.uid).toBe(kept.metadata?.uid);
    expect(metadata?.ownerReferences).toEqual(kept.metadata?.ownerReferences);
    const taken = await appliedWorkOf(world, 'handed-over');
    expect(taken?.metadata?.uid).toBe(applied?.metadata?.uid);
    expect(taken?.spec).toEqual(applied?.spec);
    await expect
      .poll(async () => (await appliedWorkOf(world, 'handed-over'))?.status?.appliedResources, { timeout: 30_000 })
      .toEqual(applied?.status?.appliedResources?.filter(({ name }) => name === 'kept'));
    expect(manifestOf(await world.until('handed-over', 'any', () => true))?.resourceMeta).toEqual(
      manifestOf(made)?.resourceMeta,
    );

    await world.remove('handed-over');
    await world.gone('handed-over');
    await world.onManaged.gone(configMaps, 'default/kept');
    await expect.poll(() => appliedWorkOf(world, 'handed-over'), { timeout: 30_000 }).toBeUndefined();
    await after.end();
  });

  it('ours applies and reports an integer of 64 bits with all its digits, and finds no drift in it', async () => {
    const exact = 9007199254740993n;
    const large: EmbeddedResource = { ...instance('Boat', 'large'), spec: { size: exact } };
    const agent = await agents.ours();
    const work = await world.create('large', [definition('boats', 'Boat'), large], {
      manifestConfigs: [
        configOf(
          'boats',
          'large',
          { feedbackRules: [{ type: 'JSONPaths' as const, jsonPaths: [{ name: 'size', path: '.spec.size' }] }] },
          'e2e.flotilla.example',
        ),
      ],
    });
    await world.synced(work);
    const reported = await world.until(
      'large',
      'fed back',
      (now) => manifestOf(now, 1)?.statusFeedback?.values !== undefined,
    );
    expect(manifestOf(reported, 1)?.statusFeedback?.values).toMatchObject([{ fieldValue: { integer: exact } }]);
    const { apiVersion = '', kind = '' } = large;
    const object = await (await world.managed.dynamic({ apiVersion, kind })).get('default/large');
    expect(object).toMatchObject({ spec: { size: exact }, metadata: { generation: 1 } });
    await world.remove('large');
    await world.gone('large');
    await agent.end();
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
        async ([title, { manifests, options, before, after, isReported, isBetterRemembered }], index) => {
          const name = `${agentName}-${index}`;
          await before?.(world.managed, name);
          await world.create(name, manifests(name), options?.(name));
          if (after) {
            await world.until(name, 'applied', (work) => workCondition(work, 'Applied') === 'True');
            await after(world.managed, name);
          }
          const work = await world.until(name, `${title}: all reported`, isReported);
          // An agent writes both statuses at the same time: the record may come a moment later.
          const available = work.status?.resourceStatus?.manifests?.filter(({ conditions }) =>
            isConditionTrue(conditions, 'Available'),
          );
          if (!isBetterRemembered) {
            await vi.waitFor(
              async () => {
                const recorded = (await appliedWorkOf(world, name))?.status?.appliedResources?.length ?? 0;
                expect(recorded).toBeGreaterThanOrEqual(available?.length ?? 0);
              },
              { timeout: 30_000, interval: 100 },
            );
          }
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
