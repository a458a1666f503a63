import type { ManifestUpdateStrategy } from '@flotilla/api-types';
import { createKubeClient } from '@flotilla/kube';
import type { Transport } from '@flotilla/kube/transport';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { strategyConfig as config, deployment } from '../fixtures/manifests.ts';
import { conditionStatuses, configMap, ofManifests, startWorld, type World } from '../fixtures/world.ts';
import type { Manifest } from '../manifest.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.start();
  await world.createWork('warm-up', [configMap('warm-up')]);
});
afterAll(() => world[Symbol.asyncDispose]());

const serverSide = (parts: NonNullable<ManifestUpdateStrategy['serverSideApply']> = {}): ManifestUpdateStrategy => ({
  type: 'ServerSideApply',
  serverSideApply: parts,
});

const replicasOf = async (name: string): Promise<unknown> => {
  const spec = (await world.object(deployment(name)))?.spec;
  return (spec as { replicas?: number } | undefined)?.replicas;
};

const appliedMessage = async (name: string): Promise<string | undefined> =>
  (await world.work(name))?.status?.resourceStatus?.manifests?.[0]?.conditions.find(({ type }) => type === 'Applied')
    ?.message;

describe('ServerSideApply', () => {
  const apply = (name: string, parts?: NonNullable<ManifestUpdateStrategy['serverSideApply']>) => ({
    manifestConfigs: [config('deployments', name, serverSide(parts))],
  });

  it('[work 18.F-64] [work 18.F-66] applies, owns and updates', async () => {
    world.takeRequests();
    await world.createWork('ssa1', [deployment('ssa1', 1)], apply('ssa1'));
    expect(world.takeRequests('spoke').filter((request) => request.includes('deployments'))).toEqual([
      'PATCH namespaces/default/deployments/ssa1',
      'PATCH namespaces/default/deployments/ssa1',
    ]);
    await world.updateManifests('ssa1', [deployment('ssa1', 3)]);
    expect(await replicasOf('ssa1')).toBe(3);
    expect((await world.object(deployment('ssa1')))?.metadata?.ownerReferences).toHaveLength(1);
    world.takeRequests();
    await world.advance(3_600_000);
    expect(world.takeRequests()).toEqual([]);
  });

  it('[work 18.F-65] [work 18.F-67] reports a conflict with the owner of a field, until the field is dropped', async () => {
    const handle = await world.spoke.client.dynamic({ apiVersion: 'apps/v1', kind: 'Deployment' });
    await handle.apply(
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { namespace: 'default', name: 'ssa1' },
        spec: { replicas: 5 },
      } as Manifest,
      { fieldManager: 'another', force: true },
    );
    await world.quiet();
    await world.updateManifests('ssa1', [deployment('ssa1', 4)]);
    expect(conditionStatuses((await world.work('ssa1'))?.status?.conditions)).toEqual([
      'Applied=False',
      'Available=True',
    ]);
    expect(await appliedMessage('ssa1')).toContain('conflict with "another"');
    await world.updateManifests('ssa1', [deployment('ssa1')]);
    expect(conditionStatuses((await world.work('ssa1'))?.status?.conditions)).toEqual([
      'Applied=True',
      'Available=True',
    ]);
    expect(await replicasOf('ssa1')).toBe(5);
  });

  it('[work 18.F-68] [work 18.F-69] lets two works own fields of one object', async () => {
    await world.createWork('ssa2', [deployment('ssa2', 1)], apply('ssa2'));
    await world.createWork(
      'ssa2-other',
      [deployment('ssa2', undefined, 'other')],
      apply('ssa2', { fieldManager: 'work-agent-another', force: true }),
    );
    await world.updateManifests('ssa2', [deployment('ssa2', 2, 'other')]);
    expect(ofManifests(await world.work('ssa2'), 'Applied')).toEqual(['True']);
    await world.updateManifests('ssa2', [deployment('ssa2', 2, 'mine')]);
    expect(ofManifests(await world.work('ssa2'), 'Applied')).toEqual(['False']);
    expect((await world.object(deployment('ssa2')))?.metadata?.ownerReferences).toHaveLength(2);
    await world.updateWork('ssa2', (spec) => ({
      ...spec,
      workload: { manifests: [deployment('ssa2', 2, 'other') as never] },
      deleteOption: { propagationPolicy: 'Orphan' },
    }));
    expect((await world.object(deployment('ssa2')))?.metadata?.ownerReferences).toHaveLength(1);
  });

  it('[work 18.F-70] [work 18.F-71] does not move the generation of a nested work', async () => {
    const inner = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'inner', creationTimestamp: null },
      spec: { template: { metadata: { creationTimestamp: null, labels: { a: 'b' } } } },
    };
    const nested = {
      apiVersion: 'work.open-cluster-management.io/v1',
      kind: 'ManifestWork',
      metadata: { namespace: 'default', name: 'nested', creationTimestamp: null },
      spec: { workload: { manifests: [inner] } },
    };
    await world.createWork('nested', [nested], {
      manifestConfigs: [
        {
          resourceIdentifier: {
            group: 'work.open-cluster-management.io',
            resource: 'manifestworks',
            namespace: '*',
            name: '*',
          },
          updateStrategy: serverSide({ force: true }),
        },
      ],
    });
    await world.edit(nested, { metadata: { labels: { a: 'b' } } });
    await world.advance(3_600_000);
    const object = await world.object(nested);
    expect(object?.metadata?.generation).toBe(1);
    expect(JSON.stringify(object?.spec)).not.toContain('creationTimestamp');
  });

  it('[work 18.F-73] [work 18.F-80] never sends fields of OnSpokePresent again once the object exists', async () => {
    const ignoreFields = [{ condition: 'OnSpokePresent' as const, jsonPaths: ['.spec.replicas'] }];
    await world.createWork('present', [deployment('present', 1)], apply('present', { force: true, ignoreFields }));
    expect(await replicasOf('present')).toBe(1);
    await world.edit(deployment('present'), { spec: { replicas: 2 } });
    await world.updateManifests('present', [deployment('present', 3)]);
    expect(await replicasOf('present')).toBe(2);
    expect(ofManifests(await world.work('present'), 'Applied')).toEqual(['True']);
  });

  it('[work 18.F-81] [work 18.F-83] leaves them to others also by a pointer, and when the condition is changed to it', async () => {
    const ignoreFields = (condition: 'OnSpokePresent' | 'OnSpokeChange') => [
      { condition, jsonPointers: ['/spec/replicas'] },
    ];
    const settings = (condition: 'OnSpokePresent' | 'OnSpokeChange') =>
      apply('pointer', { force: true, ignoreFields: ignoreFields(condition) });
    await world.createWork('pointer', [deployment('pointer', 2)], settings('OnSpokeChange'));
    await world.updateManifests('pointer', [deployment('pointer', 3)]);
    expect(await replicasOf('pointer')).toBe(3);
    await world.edit(deployment('pointer'), { spec: { replicas: 5 } });
    await world.updateWork('pointer', (spec) => ({
      ...spec,
      ...settings('OnSpokePresent'),
      workload: { manifests: [deployment('pointer', 4) as never] },
    }));
    expect(await replicasOf('pointer')).toBe(5);
    await world.deleteWork('pointer');
    expect(await world.object(deployment('pointer'))).toBeUndefined();
  });

  it('[work 18.F-74] [work 18.F-79] sends fields of OnSpokeChange when the hub changes them', async () => {
    const ignoreFields = [{ condition: 'OnSpokeChange' as const, jsonPaths: ['.spec.replicas'] }];
    await world.createWork('change', [deployment('change', 1)], apply('change', { force: true, ignoreFields }));
    await world.edit(deployment('change'), { spec: { replicas: 2 } });
    expect(await replicasOf('change')).toBe(2);
    await world.updateWork('change', (spec) => ({ ...spec, ...apply('change', { force: false, ignoreFields }) }));
    expect(await replicasOf('change')).toBe(2);
    await world.updateWork('change', (spec) => ({
      ...spec,
      ...apply('change', { force: true, ignoreFields }),
      workload: { manifests: [deployment('change', 3) as never] },
    }));
    expect(await replicasOf('change')).toBe(3);
  });

  it('[work 18.F-77] reports a selector that cannot be used', async () => {
    const ignoreFields = [{ condition: 'OnSpokePresent' as const, jqPathExpressions: ['.spec['] }];
    await world.createWork('broken', [deployment('broken', 1)], apply('broken', { ignoreFields }));
    // jq is loaded when it is first needed.
    await expect.poll(() => appliedMessage('broken')).toMatch(/^Failed to process ignoreFields: .*JQ expression error/);
    const work = await world.work('broken');
    const condition = work?.status?.resourceStatus?.manifests?.[0]?.conditions.find(({ type }) => type === 'Applied');
    expect(condition).toMatchObject({ status: 'False', reason: 'AppliedManifestSSAIgnoreFieldError' });
    expect(conditionStatuses(work?.status?.conditions)).toContain('Applied=False');
    expect(await world.object(deployment('broken'))).toBeUndefined();
  });
});

describe('an object that others change all the time', () => {
  it('is not a conflict while other writers leave alone what is applied', async () => {
    const { clock, spoke } = world;
    const counter = configMap('counter', { a: '1' });
    const handle = await spoke.client.dynamic({ apiVersion: 'v1', kind: 'ConfigMap' });
    let changes = 0;
    const count = async (): Promise<void> => {
      changes += 1;
      const body = { data: { count: `${changes}` } };
      await handle.patch('default/counter', { type: 'merge', body }, { fieldManager: 'counter' });
    };
    let isCounting = false;
    const transport: Transport = {
      ...spoke.client.transport,
      async request(request) {
        const isApply = request.method === 'PATCH' && request.path.includes('/configmaps/counter');
        // Each time the agent applies the object, it has just been changed once more.
        if (isApply && isCounting) await count();
        return spoke.client.transport.request(request);
      },
    };
    await world.start({ spoke: createKubeClient({ transport, clock, fieldManager: 'work-agent' }) });
    await world.createWork('counter', [counter], { manifestConfigs: [config('configmaps', 'counter', serverSide())] });
    isCounting = true;
    for (let round = 0; round < 5; round += 1) {
      await count();
      await world.quiet();
    }
    expect(changes).toBe(10);
    expect(ofManifests(await world.work('counter'), 'Applied')).toEqual(['True']);
    expect((await world.object(counter))?.data).toEqual({ a: '1', count: '10' });
  });
});
