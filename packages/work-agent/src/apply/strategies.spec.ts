import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { strategyConfig as config, deployment, gadget, gadgetDefinition } from '../fixtures/manifests.ts';
import { conditionStatuses, configMap, ofManifests, startWorld, type World } from '../fixtures/world.ts';
import type { Manifest } from '../manifest.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.start();
  await world.createWork('warm-up', [configMap('warm-up')]);
});
afterAll(() => world[Symbol.asyncDispose]());

const createOnCluster = (manifest: Manifest): Promise<void> => world.create(manifest);

const replicasOf = async (name: string): Promise<unknown> => {
  const spec = (await world.object(deployment(name)))?.spec;
  return (spec as { replicas?: number } | undefined)?.replicas;
};

const appliedMessage = async (name: string): Promise<string | undefined> =>
  (await world.work(name))?.status?.resourceStatus?.manifests?.[0]?.conditions.find(({ type }) => type === 'Applied')
    ?.message;

describe('Update', () => {
  it('[work 18.A-22] [work 18.D-55] creates what is absent without reading it', async () => {
    world.takeRequests();
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'default', name: 's1' }, data: {} };
    await world.createWork('absent', [secret]);
    expect(world.takeRequests('spoke')).toEqual([
      'POST namespaces/default/secrets',
      `PATCH appliedmanifestworks/${world.hubHash}-absent/status`,
    ]);
    expect(conditionStatuses((await world.work('absent'))?.status?.conditions)).toEqual([
      'Applied=True',
      'Available=True',
    ]);
  });

  it('[work 18.A-24] [work 18.A-26] recreates a secret of another type', async () => {
    const secret = (type: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'default', name: 's2' },
      type,
    });
    await createOnCluster(secret('example.com/old'));
    world.takeRequests();
    await world.createWork('typed', [secret('example.com/new')]);
    expect(world.takeRequests('spoke').slice(0, 4)).toEqual([
      'POST namespaces/default/secrets',
      'GET namespaces/default/secrets/s2',
      'DELETE namespaces/default/secrets/s2',
      'POST namespaces/default/secrets',
    ]);
    expect((await world.object(secret('')))?.type).toBe('example.com/new');
  });

  it('[work 18.A-25] [work 18.D-56] replaces an object of any kind that differs, and keeps the metadata of others', async () => {
    const group = 'update.example.com';
    await world.createWork('definition', [gadgetDefinition(group)]);
    await createOnCluster(
      gadget(group, 'g1', {
        metadata: { namespace: 'default', name: 'g1', labels: { theirs: 'x' } },
        spec: { size: 5 },
      }),
    );
    await world.createWork('replace', [gadget(group, 'g1')]);
    const object = await world.object(gadget(group, 'g1'));
    expect(object?.spec).toEqual({ size: 1 });
    expect(object?.metadata?.labels).toEqual({ theirs: 'x' });
    expect(object?.metadata?.ownerReferences).toHaveLength(1);
  });

  it('stays applied where the server refuses to take away what a controller added', async () => {
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { namespace: 'default', name: 'claim' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    await world.createWork('claim', [claim]);
    let refused = 0;
    world.failWith(({ method, path }) => {
      if (method !== 'PUT' || !path.endsWith('/claim')) return undefined;
      refused += 1;
      return 'Invalid';
    });
    await world.edit(claim, { spec: { volumeName: 'pv-1' } }, 'kube-controller-manager');
    expect(refused).toBe(1);
    expect(ofManifests(await world.work('claim'), 'Applied')).toEqual(['True']);
    await world.advance(3_600_000);
    expect(refused).toBe(1);
    world.failWith(undefined);
  });

  it('[work 18.A-27] reports each manifest by itself when the server fails', async () => {
    world.failWith(({ method, body }) =>
      method === 'POST' && (body as Manifest).metadata?.name === 'fails' ? 'Internal' : undefined,
    );
    await world.createWork('fails', [configMap('works'), configMap('fails')]);
    expect(ofManifests(await world.work('fails'), 'Applied')).toEqual(['True', 'False']);
    expect(conditionStatuses((await world.work('fails'))?.status?.conditions)).toEqual([
      'Applied=False',
      'Available=False',
    ]);
    world.failWith(undefined);
    await world.advance(1_000);
    expect(ofManifests(await world.work('fails'), 'Applied')).toEqual(['True', 'True']);
  });

  it('names a writer that changes an object again and again, and stops fighting it', async () => {
    await world.createWork('contested', [configMap('contested', { a: '1' })]);
    for (let round = 0; round < 5; round += 1) {
      await world.edit(configMap('contested'), { data: { a: `theirs ${round}` } }, 'stubborn-operator');
      await world.advance(1_000);
    }
    expect(await appliedMessage('contested')).toBe(
      'Failed to apply manifest: configmaps default/contested is changed by "stubborn-operator" each time it is applied, will try again in 5m0s',
    );
    await world.edit(configMap('contested'), { data: { a: 'theirs at last' } }, 'stubborn-operator');
    expect((await world.object(configMap('contested')))?.data).toEqual({ a: 'theirs at last' });
    await world.advance(301_000);
    expect((await world.object(configMap('contested')))?.data).toEqual({ a: '1' });
    expect(ofManifests(await world.work('contested'), 'Applied')).toEqual(['True']);
  });

  it('reports in the work whose content another work replaced, and applies it when that one is gone', async () => {
    await world.createWork('left', [configMap('shared', { from: 'left' })]);
    await world.createWork('right', [configMap('shared', { from: 'right' })]);
    expect((await world.object(configMap('shared')))?.data).toEqual({ from: 'right' });
    expect(ofManifests(await world.work('right'), 'Applied')).toEqual(['True']);
    expect(await appliedMessage('left')).toContain('ManifestWork "right" applies the same object with other content');
    await world.deleteWork('right');
    expect((await world.object(configMap('shared')))?.data).toEqual({ from: 'left' });
    expect(ofManifests(await world.work('left'), 'Applied')).toEqual(['True']);
  });
});

describe('CreateOnly', () => {
  it('[work 18.E-57] [work 18.E-60] creates and never updates', async () => {
    const manifestConfigs = [config('deployments', 'co1', { type: 'CreateOnly' })];
    await world.createWork('create-only', [deployment('co1', 1)], { manifestConfigs });
    await world.updateManifests('create-only', [deployment('co1', 3)]);
    expect(ofManifests(await world.work('create-only'), 'Applied')).toEqual(['True']);
    expect(await replicasOf('co1')).toBe(1);
    await world.edit(deployment('co1'), { spec: { replicas: 2 } });
    expect(await replicasOf('co1')).toBe(2);
  });

  it('[work 18.E-58] [work 18.E-59] takes ownership of what is there and leaves its body, by a wildcard config', async () => {
    await createOnCluster(configMap('co-a', { theirs: '1' }));
    await createOnCluster(configMap('co-b', { theirs: '2' }));
    const manifestConfigs = [config('configmaps', '*', { type: 'CreateOnly' })];
    await world.createWork('adopt', [configMap('co-a'), configMap('co-b')], { manifestConfigs });
    for (const name of ['co-a', 'co-b']) {
      const object = await world.object(configMap(name));
      expect(object?.data).toHaveProperty('theirs');
      expect(object?.metadata?.ownerReferences).toHaveLength(1);
    }
  });
});

describe('ReadOnly', () => {
  const paths = [{ type: 'JSONPaths' as const, jsonPaths: [{ name: 'test', path: '.data.test' }] }];
  const valuesOf = async (name: string) =>
    (await world.work(name))?.status?.resourceStatus?.manifests?.map(({ statusFeedback }) =>
      statusFeedback?.values?.map(({ fieldValue }) => fieldValue.string),
    );

  it('[work 18.E-61] [work 18.E-62] [work 18.G-90] reports on an object and never writes it', async () => {
    await createOnCluster(configMap('ro', { test: 'testdata' }));
    world.takeRequests();
    const manifestConfigs = [config('configmaps', 'ro', { type: 'ReadOnly' }, { feedbackRules: paths })];
    await world.createWork('read-only', [configMap('ro')], { manifestConfigs });
    expect(world.takeRequests('spoke').filter((request) => !request.includes('appliedmanifestworks'))).toEqual([
      'GET namespaces/default/configmaps/ro',
    ]);
    expect(ofManifests(await world.work('read-only'), 'Applied')).toEqual(['True']);
    expect(await valuesOf('read-only')).toEqual([['testdata']]);
    await world.edit(configMap('ro'), { data: { test: 'changed' } });
    expect(await valuesOf('read-only')).toEqual([['changed']]);
    await world.deleteWork('read-only');
    expect(await world.object(configMap('ro'))).toBeDefined();
  });

  it('[work 18.E-63] takes the rules of the first config that matches', async () => {
    const other = [{ type: 'JSONPaths' as const, jsonPaths: [{ name: 'other', path: '.data.other' }] }];
    await createOnCluster(configMap('cm-x', { test: 'x', other: 'o' }));
    await createOnCluster(configMap('cm-y', { test: 'y', other: 'o' }));
    const manifestConfigs = [
      config('configmaps', '*', { type: 'ReadOnly' }, { feedbackRules: paths }),
      config('configmaps', 'cm*', { type: 'ReadOnly' }, { feedbackRules: other }),
    ];
    await world.createWork('two-configs', [configMap('cm-x'), configMap('cm-y')], { manifestConfigs });
    expect(await valuesOf('two-configs')).toEqual([['x'], ['y']]);
  });
});
