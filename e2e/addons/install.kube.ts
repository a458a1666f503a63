import { clusterManagementAddOns, managedClusterAddOns, managedClusters } from '@flotilla/api-types';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { serverKinds } from '../registration/servers.ts';
import { type AddonWorld, addOn, config, leftOf, poll, ref, startAddonWorld } from './addon-world.ts';

describe.each(serverKinds)(
  'on %s, an add-on',
  (kind) => {
    let world: AddonWorld;
    beforeAll(async () => {
      world = await startAddonWorld(kind, { c1: { env: 'prod' }, c2: { env: 'prod' }, c3: { env: 'dev' }, c4: {} });
      for (const name of ['default', 'prod', 'own']) await world.configure(name, '1');
      const byEnv = (env: string) => ({
        predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { env } } } }],
      });
      await world.place('prod', byEnv('prod'));
      await world.place('dev', byEnv('dev'));
    });
    afterEach(({ task }) => {
      if (task.result?.state === 'fail') console.error(world.logs());
    });
    afterAll(() => world?.[Symbol.asyncDispose]());

    const applied = (expected: Readonly<Record<string, string>>) =>
      expect.poll(() => world.applied(), poll).toEqual(expected);
    const patchAddOn = (cluster: string, body: object) =>
      world.client.resource(managedClusterAddOns).patch(`${cluster}/${addOn}`, { type: 'merge', body });

    it('[addons 13, 25, 26, 30] is installed by placements, each with its configurations', async () => {
      await world.offer({
        defaultConfigs: [config('default')],
        installStrategy: {
          type: 'Placements',
          placements: [ref('prod', { configs: [config('prod')] }), ref('dev')],
        },
      });
      await applied({ c1: 'prod', c2: 'prod', c3: 'default' });
      await expect
        .poll(() => world.progressions(), poll)
        .toEqual([
          'selected clusters 2. configured addons 2/2 completed with no errors, 0 failed 0 timeout.',
          'selected clusters 1. configured addons 1/1 completed with no errors, 0 failed 0 timeout.',
        ]);
    });

    it('[addons 32, 33] has the configuration that one cluster names, and follows its content', async () => {
      await patchAddOn('c1', { spec: { configs: [config('own')] } });
      await applied({ c1: 'own', c2: 'prod', c3: 'default' });
      const hash = async () => {
        const { status } = await world.client.resource(managedClusterAddOns).get(`c1/${addOn}`);
        return status?.configReferences?.[0]?.lastAppliedConfig?.specHash;
      };
      const before = await hash();
      await world.configure('own', '2');
      await expect.poll(hash, poll).not.toBe(before);
      await applied({ c1: 'own', c2: 'prod', c3: 'default' });
      await patchAddOn('c1', { spec: { configs: null } });
      await applied({ c1: 'prod', c2: 'prod', c3: 'default' });
    });

    it('[addons 13] follows clusters that change their labels, also after the hub was killed', async () => {
      await world.hub.end('SIGKILL');
      const clusters = world.client.resource(managedClusters);
      await clusters.patch('c1', { type: 'merge', body: { metadata: { labels: { env: 'dev' } } } });
      await clusters.patch('c4', { type: 'merge', body: { metadata: { labels: { env: 'prod' } } } });
      await clusters.patch('c3', { type: 'merge', body: { metadata: { labels: { env: null } } } });
      await world.restartHub();
      await applied({ c1: 'default', c2: 'prod', c4: 'prod' });
    });

    it('goes with its works when it is not offered any more', async () => {
      await world.client.resource(clusterManagementAddOns).delete(addOn);
      await expect.poll(() => leftOf(world), poll).toBe(0);
    });
  },
  300_000,
);
