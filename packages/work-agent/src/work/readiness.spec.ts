import { type ManifestWork, manifestWorks, readinessOfManifest } from '@flotilla/api-types';
import { deployments } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deployment } from '../fixtures/manifests.ts';
import { configMap, ofManifests, startWorld, type World } from '../fixtures/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.start();
});
afterAll(() => world[Symbol.asyncDispose]());

const labels = { 'work.open-cluster-management.io/manifestworkreplicaset': 'default.mwrs' };

const label = (name: string, value: object | null) =>
  world.hub.client
    .resource(manifestWorks)
    .patch(`c1/${name}`, { type: 'merge', body: { metadata: { labels: value } } });

const readinessOf = (work: ManifestWork | undefined) =>
  work?.status?.resourceStatus?.manifests?.map((manifest) => {
    const { kind, message } = readinessOfManifest(manifest, work.metadata?.generation) ?? {};
    return kind && `${kind}: ${message}`;
  });

const rolledOut = (observedGeneration: number) => ({
  observedGeneration,
  replicas: 3,
  updatedReplicas: 3,
  readyReplicas: 3,
  availableReplicas: 3,
  conditions: [
    { type: 'Available', status: 'True' },
    { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
  ],
});

const report = async (name: string, status: object) => {
  await world.spoke.client
    .resource(deployments)
    .status.patch(`default/${name}`, { type: 'merge', body: { status } }, { fieldManager: 'controller' });
  await world.quiet();
  await world.advance(1_000);
};

describe('the objects of a work of a replica set', () => {
  it('are ready when their controllers say so', async () => {
    await world.createWork('rollout', [deployment('app', 3, 'good'), configMap('settings')], {}, labels);
    expect(readinessOf(await world.work('rollout'))).toEqual([
      'waiting: Deployment status.observedGeneration not found',
      'ready: Resource is current',
    ]);
    await report('app', rolledOut(1));
    expect(readinessOf(await world.work('rollout'))).toEqual([
      'ready: Deployment is available. Replicas: 3',
      'ready: Resource is current',
    ]);
  });

  it('are not ready for a new spec by the counts of the old one', async () => {
    await world.updateManifests('rollout', [deployment('app', 3, 'broken'), configMap('settings')]);
    const work = await world.work('rollout');
    expect(ofManifests(work, 'Applied')).toEqual(['True', 'True']);
    expect(readinessOf(work)).toEqual([
      'waiting: Deployment generation is 2, but latest observed generation is 1',
      'ready: Resource is current',
    ]);
    await report('app', { ...rolledOut(2), replicas: 4, updatedReplicas: 1 });
    expect(readinessOf(await world.work('rollout'))?.[0]).toBe('waiting: Updated: 1/3');
  });

  it('have failed when their deadline has passed', async () => {
    const deadline = { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' };
    await report('app', { updatedReplicas: 1, conditions: [deadline] });
    expect(readinessOf(await world.work('rollout'))?.[0]).toBe('failed: Progress deadline exceeded');
  });

  it('are ready again from the time when they are, in each generation anew', async () => {
    const sinceOf = async () => {
      const work = await world.work('rollout');
      const [manifest] = work?.status?.resourceStatus?.manifests ?? [];
      return manifest && readinessOfManifest(manifest, work?.metadata?.generation)?.since;
    };
    await report('app', rolledOut(2));
    const since = await sinceOf();
    await world.advance(5_000);
    await report('app', {
      ...rolledOut(2),
      conditions: [...rolledOut(2).conditions, { type: 'Other', status: 'True' }],
    });
    expect(await sinceOf()).toBe(since);
    await world.updateManifests('rollout', [deployment('app', 3, 'broken'), configMap('settings', { a: '1' })]);
    expect(readinessOf(await world.work('rollout'))?.[0]).toContain('ready');
    expect(await sinceOf()).not.toBe(since);
  });

  it('are not ready while the manifest is not applied, though they do well', async () => {
    world.failWith(({ method, path }) => (method === 'PUT' && path.endsWith('/app') ? 'Invalid' : undefined));
    await world.updateManifests('rollout', [deployment('app', 3, 'refused'), configMap('settings', { a: '1' })]);
    expect(readinessOf(await world.work('rollout'))?.[0]).toBe('waiting: The manifest is not applied');
    world.failWith(undefined);
    await world.deleteWork('rollout');
  });
});

describe('the objects of other works', () => {
  it('are not read for their readiness', async () => {
    await world.createWork('plain', [deployment('plain', 3)]);
    world.takeRequests();
    await report('plain', rolledOut(1));
    expect(world.takeRequests()).toEqual([]);
    expect(readinessOf(await world.work('plain'))).toEqual([undefined]);
  });

  it('get readiness with the label of a replica set, and lose it with the label', async () => {
    await label('plain', labels);
    await world.quiet();
    expect(readinessOf(await world.work('plain'))).toEqual(['ready: Deployment is available. Replicas: 3']);
    await label('plain', null);
    await world.quiet();
    await world.advance(1_000);
    expect(ofManifests(await world.work('plain'), 'ResourceReady')).toEqual([undefined]);
  });
});

describe('a condition rule named ResourceReady', () => {
  const rule = { condition: 'ResourceReady', type: 'CEL' as const, celExpressions: ['object.data.ready == "true"'] };
  const found = async () => {
    const [manifest] = (await world.work('ruled'))?.status?.resourceStatus?.manifests ?? [];
    const { status, reason } = manifest?.conditions.find(({ type }) => type === 'ResourceReady') ?? {};
    return `${status} ${reason}`;
  };

  it('sets its condition on a plain work, which settles', async () => {
    const resourceIdentifier = { group: '', resource: 'configmaps', namespace: 'default', name: 'ruled' };
    await world.createWork('ruled', [configMap('ruled', { ready: 'no' })], {
      manifestConfigs: [{ resourceIdentifier, conditionRules: [rule] }],
    });
    // CEL is loaded when the first rule needs it.
    await expect.poll(found).toBe('False ConditionRuleEvaluated');
    await world.advance(60_000);
    const { status } = (await world.work('ruled')) ?? {};
    world.takeRequests();
    await world.edit(configMap('ruled'), { metadata: { labels: { other: 'value' } } });
    await world.advance(2_000);
    expect(world.takeRequests('hub')).toEqual([]);
    expect((await world.work('ruled'))?.status).toEqual(status);
  });

  it('gives way to the agent while the work is of a replica set', async () => {
    await label('ruled', labels);
    await world.advance(1_000);
    expect(await found()).toBe('True Current');
    await label('ruled', null);
    await world.advance(1_000);
    expect(await found()).toBe('False ConditionRuleEvaluated');
  });
});
