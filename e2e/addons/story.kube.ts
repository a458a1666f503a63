import { clusterManagementAddOns, managedClusterAddOns, managedClusters, placements } from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';
import { deployments, jobs } from '@flotilla/kube/kinds';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { serverKinds } from '../registration/servers.ts';
import {
  addConfig,
  addOn,
  addTemplate,
  agentRuns,
  cleanupRuns,
  configRef,
  installNamespace,
  type ManagedCluster,
  startTemplateWorld,
  type TemplateWorld,
  templateRef,
} from './template-world.ts';

const timeout = 300_000;

describe.each(serverKinds)('on %s, an add-on whose hub and agents are killed at each step', (kind) => {
  let world: TemplateWorld;
  let first: ManagedCluster;
  let second: ManagedCluster;
  let isWrong = false;
  beforeAll(async () => {
    world = await startTemplateWorld(kind);
    [first, second] = await Promise.all([world.join('first'), world.join('second')]);
  });
  afterEach(({ task }) => {
    isWrong ||= task.result?.state === 'fail';
  });
  afterAll(async () => {
    if (isWrong) console.error(world?.fleet.logs());
    await world?.[Symbol.asyncDispose]();
  });

  /** Kills all programs at the moment after a step was asked for, and starts them again. */
  const killedAfter = async (step: () => Promise<unknown>): Promise<void> => {
    await step();
    await Promise.all([world.killHub(), first.killAgent(), second.killAgent()]);
    world.restartHub();
    for (const cluster of [first, second]) cluster.restartAgent();
  };
  const offerWith = (spec: object) =>
    world.hub.resource(clusterManagementAddOns).patch(addOn, { type: 'merge', body: { spec } });
  const placed = (configs: object[], rolloutStrategy?: object) =>
    offerWith({
      installStrategy: {
        type: 'Placements',
        placements: [{ namespace: 'team', name: 'all', configs, ...(rolloutStrategy && { rolloutStrategy }) }],
      },
    });
  const progression = (text: string) =>
    world.onHub.until(
      clusterManagementAddOns,
      `the progression ${text}`,
      ({ status }) =>
        status?.installProgressions?.[0]?.conditions?.some(({ message }) => message.includes(text)) ?? false,
    );
  const imageOn = async ({ client }: ManagedCluster) => {
    const { spec } = await client.resource(deployments).get(`${installNamespace}/agent`);
    return spec?.template.spec?.containers[0]?.image;
  };

  it('is offered, and enabled on one cluster', { timeout }, async () => {
    await killedAfter(() => world.offer());
    await killedAfter(() =>
      world.hub.resource(managedClusterAddOns).create({ metadata: { namespace: 'first', name: addOn }, spec: {} }),
    );
    await agentRuns(first, 'first');
    await world.condition('first', 'Available', 'True');
    expect(await world.hub.resource(managedClusterAddOns).find(`second/${addOn}`)).toBeUndefined();
  });

  it('is installed by a placement', { timeout }, async () => {
    await killedAfter(() => placed([]));
    await agentRuns(second, 'first');
    await world.condition('second', 'Available', 'True');
    await progression('selected clusters 2. configured addons 2/2 completed');
  });

  it('follows the default configuration, that of the placement, and that of one cluster', { timeout }, async () => {
    await killedAfter(() => world.configure('default-2'));
    await Promise.all([first, second].map((cluster) => agentRuns(cluster, 'default-2')));
    await addConfig(world.hub, 'placed', 'placed');
    await killedAfter(() => placed([configRef('placed')]));
    await Promise.all([first, second].map((cluster) => agentRuns(cluster, 'placed')));
    await addConfig(world.hub, 'own', 'own');
    await killedAfter(() =>
      world.hub
        .resource(managedClusterAddOns)
        .patch(`second/${addOn}`, { type: 'merge', body: { spec: { configs: [configRef('own')] } } }),
    );
    await agentRuns(second, 'own');
    await agentRuns(first, 'placed');
    await progression('2/2 completed');
  });

  it('[addons 43, 47] goes to the canary first, and to the rest after a soak time', { timeout }, async () => {
    await world.hub
      .resource(managedClusters)
      .patch('first', { type: 'merge', body: { metadata: { labels: { tier: 'canary' } } } });
    const canary = {
      groupName: 'canary',
      groupClusterSelector: { labelSelector: { matchLabels: { tier: 'canary' } } },
    };
    await world.hub.resource(placements).patch('team/all', {
      type: 'merge',
      body: { spec: { decisionStrategy: { groupStrategy: { decisionGroups: [canary] } } } },
    });
    await addTemplate(world.hub, 'v2');
    await first.killAgent();
    const progressive = {
      mandatoryDecisionGroups: [{ groupName: 'canary' }],
      maxConcurrency: '25%',
      minSuccessTime: '1s',
    };
    await placed([configRef('placed'), templateRef('v2')], { type: 'Progressive', progressive });
    await world.condition('second', 'Configured', 'False');
    await world.killHub();
    world.restartHub();
    await progression('configured addons 1/2 progressing');
    expect(await imageOn(second)).toMatch(/:v1$/);
    // It has what the hub chose for it before, and keeps its rights and its works.
    await world.condition('second', 'RegistrationApplied', 'True');
    first.restartAgent();
    await agentRuns(first, 'placed', 'v2');
    await killedAfter(async () => {});
    await agentRuns(second, 'own', 'v2');
    await progression('selected clusters 2. configured addons 2/2 completed with no errors, 0 failed 0 timeout.');
  });

  it('[addons 45, 46] stops at the deadline with too many failures, and goes on when the agents are back', {
    timeout,
  }, async () => {
    await addTemplate(world.hub, 'v3');
    await Promise.all([first.killAgent(), second.killAgent()]);
    const progressive = { maxConcurrency: 1, progressDeadline: '2s', maxFailures: 0 };
    await placed([configRef('placed'), templateRef('v3')], { type: 'Progressive', progressive });
    await world.killHub();
    world.restartHub();
    await progression('selected clusters 2. configured addons 0/2 progressing..., 0 failed 1 timeout.');
    const waiting = await world.condition('second', 'Configured', 'False');
    expect(findCondition(waiting.status?.conditions, 'Configured')?.reason).toBe('ConfigurationsNotConfigured');
    for (const cluster of [first, second]) cluster.restartAgent();
    await agentRuns(first, 'placed', 'v3');
    await agentRuns(second, 'own', 'v3');
    await progression('2/2 completed');
  });

  it('[addons 86, 134] is removed with what offers it, after its pre-delete Job', { timeout }, async () => {
    await killedAfter(() =>
      world.hub.resource(clusterManagementAddOns).delete(addOn, { propagationPolicy: 'Background' }),
    );
    await first.seen.until(jobs, 'the pre-delete Job', ({ metadata }) => metadata?.name === 'cleanup');
    await killedAfter(async () => {});
    await killedAfter(() => Promise.all([first, second].map(cleanupRuns)));
    for (const { name, seen } of [first, second]) {
      await world.onHub.gone(managedClusterAddOns, `${name}/${addOn}`);
      await seen.gone(deployments, `${installNamespace}/agent`);
      await seen.gone(jobs, `${installNamespace}/cleanup`);
    }
  });
});
