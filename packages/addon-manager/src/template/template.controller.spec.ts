import { chosenRecord, type RunningAddon } from '@flotilla/addon-sdk';
import { Annotation, clusterManagementAddOns, managedClusterAddOns } from '@flotilla/api-types';
import { createInformers, createKubeClient, runControllers } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { FakeApi } from '@flotilla/kube/testing/internal';
import { describe, expect, it } from 'vitest';
import { addonCaches } from '../caches.ts';
import { templateController } from './template.controller.ts';

const templates = { group: 'addon.open-cluster-management.io', resource: 'addontemplates' };
const chosen = { ...templates, name: 'hello-1' };
const template = { ...templates, name: '__reserved_no_default__' };

async function start() {
  const clock = new FakeClock();
  const client = createKubeClient({ transport: new FakeApi(clock), clock });
  const informers = createInformers({ client, clock });
  const log: string[] = [];
  const fails = new Map<string, (error: Error) => void>();
  const engine = {
    start({ name }: { readonly name: string }): RunningAddon {
      log.push(`start ${name}`);
      const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
      fails.set(name, reject);
      const stop = async () => {
        log.push(`stop ${name}`);
        resolve();
      };
      return { name, ended, stop };
    },
  };
  const define = (name: string) => ({ name, render: () => [] });
  const controller = templateController(addonCaches(informers, clock), { informers, engine, define });
  const end = new AbortController();
  const running = runControllers([controller], { signal: end.signal, clock, random: () => 0 });
  return {
    offers: client.resource(clusterManagementAddOns),
    addons: client.resource(managedClusterAddOns),
    /** What the engine was told since the last time. */
    async taken(): Promise<string[]> {
      await clock.advance(1000);
      return log.splice(0);
    },
    fail: (name: string) => fails.get(name)?.(new Error('a cache cannot be synced')),
    async [Symbol.asyncDispose]() {
      end.abort();
      await running;
      informers.close();
    },
  };
}

const addon = (namespace: string, references: object[] = [{}]) => ({
  metadata: { namespace, name: 'hello', annotations: { [Annotation.ChosenConfigs]: chosenRecord([chosen]) } },
  spec: {},
  status: {
    configReferences: references.map((one) => ({ ...templates, desiredConfig: { name: chosen.name }, ...one })),
  },
});

describe('the controller of template add-ons', () => {
  it('[addons 132] runs exactly one definition while an add-on lists templates, and ends it with the last cluster', async () => {
    await using scene = await start();
    await scene.offers.create({ metadata: { name: 'coded' }, spec: {} });
    await scene.offers.create({ metadata: { name: 'hello' }, spec: { defaultConfigs: [template] } });
    expect(await scene.taken()).toEqual(['start hello']);
    await scene.addons.create(addon('c1'));
    await scene.addons.create(addon('c2'));
    await scene.offers.patch('hello', { type: 'merge', body: { metadata: { labels: { any: 'change' } } } });
    expect(await scene.taken()).toEqual([]);
    await scene.offers.delete('hello');
    await scene.addons.delete('c1/hello');
    expect(await scene.taken()).toEqual([]);
    await scene.addons.delete('c2/hello');
    expect(await scene.taken()).toEqual(['stop hello']);
    await scene.offers.create({ metadata: { name: 'hello' }, spec: { defaultConfigs: [template] } });
    expect(await scene.taken()).toEqual(['start hello']);
  });

  it('ends it when no cluster has it and its kind is no longer listed', async () => {
    await using scene = await start();
    await scene.offers.create({ metadata: { name: 'hello' }, spec: { defaultConfigs: [template] } });
    expect(await scene.taken()).toEqual(['start hello']);
    await scene.offers.patch('hello', { type: 'merge', body: { spec: { defaultConfigs: [] } } });
    expect(await scene.taken()).toEqual(['stop hello']);
  });

  it('starts nothing for an add-on of another manager because the status of a cluster names a template', async () => {
    await using scene = await start();
    await scene.offers.create({ metadata: { name: 'hello' }, spec: {} });
    await scene.addons.create({ ...addon('c1'), metadata: { namespace: 'c1', name: 'hello' } });
    expect(await scene.taken()).toEqual([]);
  });

  it('serves what clusters still have of an add-on that nobody offers', async () => {
    await using scene = await start();
    await scene.addons.create(addon('c1'));
    expect(await scene.taken()).toEqual(['start hello']);
    await scene.addons.create({ ...addon('c2', []), metadata: { namespace: 'c2', name: 'coded' } });
    expect(await scene.taken()).toEqual([]);
  });

  it('starts a definition again that could not run', async () => {
    await using scene = await start();
    await scene.offers.create({ metadata: { name: 'hello' }, spec: { defaultConfigs: [template] } });
    await scene.taken();
    scene.fail('hello');
    // It is noticed, and after a back-off it is started.
    expect([...(await scene.taken()), ...(await scene.taken())]).toEqual(['start hello']);
  });
});
