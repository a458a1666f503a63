import { clusterManagementAddOns, type ManagedClusterAddOn, managedClusterAddOns } from '@flotilla/api-types';
import { createInformers, findCondition } from '@flotilla/kube';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { serverKinds } from '../registration/servers.ts';
import { type AddonWorld, addOn, config, poll, ref, startAddonWorld } from './addon-world.ts';

const canaries = ['canary1', 'canary2'];
const others = Array.from({ length: 8 }, (_, index) => `c${index + 1}`);
/** A quarter of the others at a time. */
const quarter = 2;

describe.each(serverKinds)('on %s, a rollout of a configuration', (kind) => {
  let world: AddonWorld;
  beforeAll(async () => {
    world = await startAddonWorld(kind, {
      ...Object.fromEntries(canaries.map((name) => [name, { tier: 'canary' }])),
      ...Object.fromEntries(others.map((name) => [name, {}])),
    });
    await world.configure('v1', '1');
    await world.configure('v2', '2');
    const canary = {
      groupName: 'canary',
      groupClusterSelector: { labelSelector: { matchLabels: { tier: 'canary' } } },
    };
    await world.place('fleet', { decisionStrategy: { groupStrategy: { decisionGroups: [canary] } } });
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(world.logs());
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  const strategy = (name: string, settings: object = {}) => ({
    type: 'Placements' as const,
    placements: [
      ref('fleet', {
        configs: [config(name)],
        rolloutStrategy: {
          type: 'Progressive',
          progressive: { mandatoryDecisionGroups: [{ groupName: 'canary' }], maxConcurrency: '25%', ...settings },
        },
      }),
    ],
  });
  const wants = (name: string) => async () =>
    (await world.client.resource(managedClusterAddOns).list()).items
      .filter(({ status }) => status?.configReferences?.[0]?.desiredConfig?.name === name)
      .map(({ metadata }) => metadata?.namespace ?? '')
      .sort();
  const message = async () => (await world.progressions())[0];

  it('installs the first one', { timeout: 300_000 }, async () => {
    await world.offer({ defaultConfigs: [], installStrategy: strategy('v1') });
    await expect.poll(message, poll).toContain('configured addons 10/10 completed with no errors');
  });

  it('[addons 41, 42, 43] changes the canaries first, then a quarter at a time, while the hub is killed at each step', {
    timeout: 300_000,
  }, async () => {
    using informers = createInformers({ client: world.client });
    const addOns = informers.resource(managedClusterAddOns);
    await addOns.whenSynced();
    const isUnderWay = ({ status }: ManagedClusterAddOn) => {
      const [reference] = status?.configReferences ?? [];
      return reference?.desiredConfig?.name === 'v2' && reference.lastAppliedConfig?.name !== 'v2';
    };
    let most = 0;
    addOns.changes.subscribe(() => {
      const underWay = addOns.list().filter(isUnderWay);
      most = Math.max(most, underWay.length);
    });

    world.author.hold();
    const body = { spec: { installStrategy: strategy('v2', { minSuccessTime: '1s' }) } };
    await world.client.resource(clusterManagementAddOns).patch(addOn, { type: 'merge', body });
    await expect.poll(wants('v2'), poll).toEqual(canaries);
    await world.restartHub();
    const configured = async () => {
      const { status } = await world.client.resource(managedClusterAddOns).get(`c1/${addOn}`);
      return findCondition(status?.conditions, 'Configured')?.reason;
    };
    await expect.poll(configured, poll).toBe('ConfigurationsNotConfigured');
    world.author.release('canary1');
    await expect.poll(() => world.applied(), poll).toMatchObject({ canary1: 'v2', canary2: '…' });
    expect(await wants('v2')()).toEqual(canaries);
    world.author.release('canary2');
    for (let step = 0; step < others.length; step += quarter) {
      const admitted = others.slice(0, step + quarter);
      await expect.poll(wants('v2'), poll).toEqual([...admitted, ...canaries].sort());
      await world.restartHub();
      for (const cluster of admitted.slice(-quarter)) world.author.release(cluster);
    }
    await expect
      .poll(message, poll)
      .toBe('selected clusters 10. configured addons 10/10 completed with no errors, 0 failed 0 timeout.');
    expect(most).toBe(quarter);
  });

  it('[addons 45] stops when more clusters than may fail are not ready in time, and says how many', {
    timeout: 300_000,
  }, async () => {
    world.author.hold();
    const settings = { mandatoryDecisionGroups: [], maxConcurrency: 2, progressDeadline: '3s', maxFailures: 1 };
    const body = { spec: { installStrategy: strategy('v1', settings) } };
    await world.client.resource(clusterManagementAddOns).patch(addOn, { type: 'merge', body });
    await expect
      .poll(message, poll)
      .toBe('selected clusters 10. configured addons 0/10 progressing..., 0 failed 2 timeout.');
    expect(await wants('v1')()).toEqual(['c1', 'c2']);
    const progressing = async () => {
      const { status } = await world.client.resource(managedClusterAddOns).get(`c1/${addOn}`);
      return findCondition(status?.conditions, 'Progressing')?.message;
    };
    await expect
      .poll(progressing, poll)
      .toMatch(/^progressing\.\.\. work is not ready: the work agent of cluster c1 has not reported/);
  });
});
