import { ManagedClusterAddOnCondition } from '@flotilla/api-types';
import type { EmbeddedResource } from '@flotilla/schema';
import { afterEach, describe, expect, it } from 'vitest';
import type { AddonDefinition } from '../definition/addon-definition.ts';
import { defineAddon } from '../definition/define-addon.ts';
import { configMap } from '../fixtures/objects.ts';
import { type RunningEngine, startEngine } from '../fixtures/running-engine.ts';

const { ManifestApplied } = ManagedClusterAddOnCondition;

let running: RunningEngine | undefined;
afterEach(async () => {
  await running?.[Symbol.asyncDispose]();
  running = undefined;
});

/** The engine with one add-on, whose manifests the test can change, enabled on c1. */
async function startAddon(manifests: readonly EmbeddedResource[], rest: Partial<AddonDefinition> = {}) {
  const output = { manifests };
  running = await startEngine(defineAddon({ name: 'probe', render: () => output.manifests, ...rest }));
  await running.addCluster('c1');
  await running.enable('c1', 'probe');
  return { ...running, output };
}

const namesOf = (work: { spec?: { workload?: { manifests?: EmbeddedResource[] } } } | undefined) =>
  work?.spec?.workload?.manifests?.map(({ metadata }) => metadata?.name);

describe('an add-on on a cluster', () => {
  it('[addons 70] is deployed by a work with its label, owner and no hashes', async () => {
    const { works, addon } = await startAddon([configMap('a')]);
    const [work, ...others] = await works('c1');
    expect(others).toEqual([]);
    expect(work?.metadata).toMatchObject({
      name: 'addon-probe-deploy-0',
      labels: { 'open-cluster-management.io/addon-name': 'probe' },
      ownerReferences: [
        {
          apiVersion: 'addon.open-cluster-management.io/v1beta1',
          kind: 'ManagedClusterAddOn',
          name: 'probe',
          uid: (await addon('c1', 'probe'))?.metadata?.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    });
    expect(work?.metadata?.annotations).toBeUndefined();
    expect(work?.spec).toEqual({ workload: { manifests: [configMap('a')] } });
  });

  it('[addons 71] is not written again if it renders the same', async () => {
    const { engine, quiet, takeWrites } = await startAddon([configMap('a')]);
    takeWrites();
    engine.trigger('c1', 'probe');
    await quiet();
    expect(takeWrites()).toEqual([]);
  });

  it('[addons 72, 79] is patched once when a trigger renders something else', async () => {
    const { engine, quiet, takeWrites, output, works } = await startAddon([configMap('a')]);
    takeWrites();
    output.manifests = [configMap('a', { key: 'changed' })];
    engine.trigger('c1', 'probe');
    await quiet();
    expect(takeWrites()).toEqual(['PATCH namespaces/c1/manifestworks/addon-probe-deploy-0']);
    expect((await works('c1'))[0]?.spec?.workload?.manifests).toEqual([configMap('a', { key: 'changed' })]);
  });
});
