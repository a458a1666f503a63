import type { ManifestConfigOption } from '@flotilla/api-types';
import { ruleRunner } from '@flotilla/rules/runner';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { deployment } from '../fixtures/manifests.ts';
import { conditionStatuses, configMap, ofManifests, startWorld, type World } from '../fixtures/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.start();
});
afterAll(() => world[Symbol.asyncDispose]());

const config = (resource: string, name: string, parts: Partial<ManifestConfigOption>): ManifestConfigOption => ({
  resourceIdentifier: { group: resource === 'deployments' ? 'apps' : '', resource, namespace: 'default', name },
  ...parts,
});

const manifestOf = async (name: string, index = 0) =>
  (await world.work(name))?.status?.resourceStatus?.manifests?.[index];

const valuesOf = async (name: string, index = 0) =>
  Object.fromEntries(
    ((await manifestOf(name, index))?.statusFeedback?.values ?? []).map(({ name: value, fieldValue }) => [
      value,
      fieldValue.integer ?? fieldValue.string ?? fieldValue.boolean ?? fieldValue.jsonRaw,
    ]),
  );

const reportStatus = async (name: string, status: object): Promise<void> => {
  const handle = await world.spoke.client.dynamic({ apiVersion: 'apps/v1', kind: 'Deployment' });
  await handle.status.patch(`default/${name}`, { type: 'merge', body: { status } });
  await world.quiet();
};

describe('feedback', () => {
  const wellKnown = { feedbackRules: [{ type: 'WellKnownStatus' as const }] };

  it('[work 18.J-130] [work 18.J-138] [work 18.J-141] follows the object at once, by one read and one write', async () => {
    await world.createWork('fed', [deployment('fed', 3)], {
      manifestConfigs: [config('deployments', 'fed', wellKnown)],
    });
    await reportStatus('fed', { replicas: 3, readyReplicas: 2 });
    expect(await valuesOf('fed')).toEqual({ ReadyReplicas: 2, Replicas: 3 });
    await world.advance(1_000);
    world.takeRequests();
    await reportStatus('fed', { replicas: 3, readyReplicas: 3, availableReplicas: 3 });
    expect(world.takeRequests()).toEqual(['GET namespaces/default/deployments/fed', 'PATCH manifestworks/fed/status']);
    expect(await valuesOf('fed')).toEqual({ ReadyReplicas: 3, Replicas: 3, AvailableReplicas: 3 });
  });

  it('[work 18.J-142] [work 18.J-143] is watched also for a kind without namespace, and whatever the scrape type', async () => {
    const name = { name: 'ns', path: '.metadata.labels.seen' };
    await world.createWork('space', [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'fed-space' } }], {
      manifestConfigs: [
        {
          resourceIdentifier: { resource: 'namespaces', name: 'fed-space' },
          feedbackScrapeType: 'Poll',
          feedbackRules: [{ type: 'JSONPaths', jsonPaths: [name, { name: 'phase', path: '.status.phase' }] }],
        },
      ],
    });
    await world.edit(
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'fed-space' } },
      { metadata: { labels: { seen: 'yes' } } },
    );
    expect(await valuesOf('space')).toMatchObject({ ns: 'yes', phase: 'Active' });
  });

  it('[work 18.J-137] moves the time of its condition when values change', async () => {
    const timeOf = async () =>
      (await manifestOf('fed'))?.conditions.find(({ type }) => type === 'StatusFeedbackSynced')?.lastTransitionTime;
    const before = await timeOf();
    await world.advance(5_000);
    await reportStatus('fed', { observedGeneration: 7 });
    expect(await timeOf()).toBe(before);
    await reportStatus('fed', { readyReplicas: 1 });
    expect(await timeOf()).not.toBe(before);
  });

  it('[work 18.J-127] is not written again when it says the same', async () => {
    world.takeRequests();
    await reportStatus('fed', { observedGeneration: 8 });
    expect(world.takeRequests('hub')).toEqual([]);
  });

  it('[work 18.J-129] is empty where a config is about another object', async () => {
    await world.createWork('unfed', [deployment('unfed')], {
      manifestConfigs: [config('deployments', 'other', wellKnown)],
    });
    expect((await manifestOf('unfed'))?.statusFeedback).toEqual({});
    expect(conditionStatuses((await manifestOf('unfed'))?.conditions)).toContain('StatusFeedbackSynced=True');
  });

  it('[work 18.J-139] [work 18.J-140] is read for each object by its own rules', async () => {
    const name = {
      feedbackRules: [{ type: 'JSONPaths' as const, jsonPaths: [{ name: 'own', path: '.metadata.name' }] }],
    };
    const replicas = {
      feedbackRules: [{ type: 'JSONPaths' as const, jsonPaths: [{ name: 'replicas', path: '.spec.replicas' }] }],
    };
    await world.createWork('wild', [deployment('deploy1', 1), deployment('deploy2', 2)], {
      manifestConfigs: [config('deployments', 'deploy1', replicas), config('deployments', 'deploy*', name)],
    });
    expect(await valuesOf('wild', 0)).toEqual({ replicas: 1 });
    expect(await valuesOf('wild', 1)).toEqual({ own: 'deploy2' });
  });

  it('is read again when only the rules change', async () => {
    await world.updateWork('wild', (spec) => ({
      ...spec,
      manifestConfigs: [
        config('deployments', '*', {
          feedbackRules: [{ type: 'JSONPaths', jsonPaths: [{ name: 'r', path: '.spec.replicas' }] }],
        }),
      ],
    }));
    expect(await valuesOf('wild', 0)).toEqual({ r: 1 });
    expect(await valuesOf('wild', 1)).toEqual({ r: 2 });
  });
});

describe('availability', () => {
  it('[work 18.J-128] reports an object that the server does not allow the agent to create or read', async () => {
    world.failWith(({ side, path, method }) =>
      side === 'spoke' && method !== 'PATCH' && path.includes('configmaps') ? 'Forbidden' : undefined,
    );
    await world.createWork('forbidden', [configMap('forbidden')]);
    const work = await world.work('forbidden');
    expect(conditionStatuses(work?.status?.conditions)).toEqual(['Applied=False', 'Available=Unknown']);
    expect((await manifestOf('forbidden'))?.conditions.find(({ type }) => type === 'Available')).toMatchObject({
      reason: 'FetchingResourceFailed',
      message: 'Failed to fetch resource: GET namespaces/default/configmaps/forbidden refused by the test',
    });
    world.failWith(undefined);
    await world.advance(120_000);
    expect(conditionStatuses((await world.work('forbidden'))?.status?.conditions)).toEqual([
      'Applied=True',
      'Available=True',
    ]);
  });

  it('notices what is deleted and cannot come back', async () => {
    await world.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'going' } });
    await world.createWork('going', [configMap('going', {}, 'going')]);
    await world.remove({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'going' } });
    await world.advance(1_000);
    expect(ofManifests(await world.work('going'), 'Available')).toEqual(['False']);
  });
});

describe('condition rules', () => {
  const complete = config('configmaps', '*', {
    conditionRules: [
      {
        condition: 'Complete',
        type: 'CEL',
        celExpressions: ['object.data.complete == "true"'],
        message: 'done or not',
      },
    ],
  });
  const eventually = async (name: string, ...expected: string[]): Promise<void> => {
    // CEL is loaded when the first rule needs it.
    await expect
      .poll(async () => conditionStatuses((await world.work(name))?.status?.conditions))
      .toEqual(expect.arrayContaining(expected));
  };

  it('[work 18.K-153] [work 18.K-157] complete a work when all its manifests say so', async () => {
    await world.createWork('rules', [configMap('r1', { complete: 'true' }), configMap('r2', { complete: 'no' })], {
      manifestConfigs: [complete],
    });
    await eventually('rules', 'Applied=True', 'Complete=False');
    await world.updateManifests('rules', [
      configMap('r1', { complete: 'true' }),
      configMap('r2', { complete: 'true' }),
    ]);
    await eventually('rules', 'Complete=True');
    expect((await world.work('rules'))?.status?.conditions?.find(({ type }) => type === 'Complete')).toMatchObject({
      reason: 'ConditionRulesAggregated',
      observedGeneration: 2,
    });
  });

  it('and jq expressions are evaluated in the turns of their work', async () => {
    using evaluate = vi.spyOn(ruleRunner, 'evaluate');
    using runJq = vi.spyOn(ruleRunner, 'runJq');
    const ignoreFields = [{ condition: 'OnSpokePresent' as const, jqPathExpressions: ['.data.own'] }];
    const updateStrategy = { type: 'ServerSideApply' as const, serverSideApply: { ignoreFields } };
    await world.createWork('turns', [configMap('turns', { complete: 'true', own: 'x' })], {
      manifestConfigs: [{ ...complete, updateStrategy }],
    });
    await eventually('turns', 'Complete=True');
    const owner = 'work c1/turns';
    expect(evaluate.mock.calls.map(([, , , caller]) => caller?.owner)).toContain(owner);
    expect(runJq.mock.calls.map(([, , , caller]) => caller?.owner)).toContain(owner);
  });

  it('[work 18.A-28] freeze a complete work: what others change is reported, not undone', async () => {
    world.takeRequests();
    await world.edit(configMap('r1'), { data: { other: 'value' } });
    expect((await world.object(configMap('r1')))?.data).toEqual({ complete: 'true', other: 'value' });
    expect(world.takeRequests()).toEqual(['GET namespaces/default/configmaps/r1']);
    await world.advance(3_600_000);
    expect((await world.object(configMap('r1')))?.data).toEqual({ complete: 'true', other: 'value' });
  });

  it('thaw it when it is complete no more', async () => {
    await world.edit(configMap('r1'), { data: { complete: 'not at all' } });
    await world.advance(10);
    expect((await world.object(configMap('r1')))?.data).toEqual({ complete: 'true' });
    await world.advance(1_000);
    await eventually('rules', 'Complete=True');
  });

  it('[work 18.K-154] go with the rule', async () => {
    await world.createWork('gone-rule', [configMap('gr', { complete: 'no' })], { manifestConfigs: [complete] });
    await eventually('gone-rule', 'Complete=False');
    await world.updateWork('gone-rule', ({ manifestConfigs: _, ...spec }) => spec);
    expect(conditionStatuses((await world.work('gone-rule'))?.status?.conditions)).toEqual([
      'Applied=True',
      'Available=True',
    ]);
    expect(conditionStatuses((await manifestOf('gone-rule'))?.conditions).sort()).toEqual([
      'Applied=True',
      'Available=True',
      'StatusFeedbackSynced=True',
    ]);
  });
});
