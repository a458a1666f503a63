import type { ManifestConfigOption, ManifestUpdateStrategy } from '@flotilla/api-types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deployment, gadget, gadgetDefinition } from '../fixtures/manifests.ts';
import { configMap, ofManifests, startWorld, told, type World } from '../fixtures/world.ts';
import type { Manifest } from '../manifest.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.start();
  await world.createWork('warm-up', [configMap('warm-up')]);
});
afterAll(() => world[Symbol.asyncDispose]());

const config = (
  resource: string,
  name: string,
  updateStrategy: ManifestUpdateStrategy,
  parts: Partial<ManifestConfigOption> = {},
): ManifestConfigOption => ({
  resourceIdentifier: { group: resource === 'deployments' ? 'apps' : '', resource, namespace: 'default', name },
  updateStrategy,
  ...parts,
});

const serverSide = (parts: NonNullable<ManifestUpdateStrategy['serverSideApply']> = {}): ManifestUpdateStrategy => ({
  type: 'ServerSideApply',
  serverSideApply: parts,
});

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
    expect(told((await world.work('absent'))?.status?.conditions)).toEqual(['Applied=True', 'Available=True']);
  });

  it('[work 18.A-24] [work 18.A-26] makes a secret of another type anew', async () => {
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

  it('[work 18.A-27] reports each manifest by itself when the server fails', async () => {
    world.failWith(({ method, body }) =>
      method === 'POST' && (body as Manifest).metadata?.name === 'fails' ? 'Internal' : undefined,
    );
    await world.createWork('fails', [configMap('works'), configMap('fails')]);
    expect(ofManifests(await world.work('fails'), 'Applied')).toEqual(['True', 'False']);
    expect(told((await world.work('fails'))?.status?.conditions)).toEqual(['Applied=False', 'Available=False']);
    world.failWith(undefined);
    await world.pass(1_000);
    expect(ofManifests(await world.work('fails'), 'Applied')).toEqual(['True', 'True']);
  });

  it('names a writer that changes an object again and again, and stops fighting it', async () => {
    await world.createWork('rivals', [configMap('rivals', { a: '1' })]);
    for (let round = 0; round < 5; round += 1) {
      await world.edit(configMap('rivals'), { data: { a: `theirs ${round}` } }, 'stubborn-operator');
      await world.pass(1_000);
    }
    expect(await appliedMessage('rivals')).toBe(
      'Failed to apply manifest: configmaps default/rivals is changed by "stubborn-operator" each time it is applied, will try again in 5m0s',
    );
    await world.edit(configMap('rivals'), { data: { a: 'theirs at last' } }, 'stubborn-operator');
    expect((await world.object(configMap('rivals')))?.data).toEqual({ a: 'theirs at last' });
    await world.pass(301_000);
    expect((await world.object(configMap('rivals')))?.data).toEqual({ a: '1' });
    expect(ofManifests(await world.work('rivals'), 'Applied')).toEqual(['True']);
  });

  it('tells the work whose content another work replaced, and goes on when that one is gone', async () => {
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
    await world.pass(3_600_000);
    expect(world.takeRequests()).toEqual([]);
  });

  it('[work 18.F-65] [work 18.F-67] tells of a conflict with the owner of a field, until the field is dropped', async () => {
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
    expect(told((await world.work('ssa1'))?.status?.conditions)).toEqual(['Applied=False', 'Available=True']);
    expect(await appliedMessage('ssa1')).toContain('conflict with "another"');
    await world.updateManifests('ssa1', [deployment('ssa1')]);
    expect(told((await world.work('ssa1'))?.status?.conditions)).toEqual(['Applied=True', 'Available=True']);
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
    const nested = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      ...gadgetDefinition('nested.example.com'),
      metadata: { name: 'gadgets.nested.example.com', creationTimestamp: null },
    };
    await world.createWork('nested', [nested], {
      manifestConfigs: [
        {
          resourceIdentifier: { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions', name: '*' },
          updateStrategy: serverSide({ force: true }),
        },
      ],
    });
    await world.edit(gadgetDefinition('nested.example.com'), { metadata: { labels: { a: 'b' } } });
    await world.pass(3_600_000);
    expect((await world.object(gadgetDefinition('nested.example.com')))?.metadata?.generation).toBe(1);
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

  it('[work 18.F-77] tells of a selector that cannot be used', async () => {
    const ignoreFields = [{ condition: 'OnSpokePresent' as const, jqPathExpressions: ['.spec['] }];
    await world.createWork('broken', [deployment('broken', 1)], apply('broken', { ignoreFields }));
    // jq is loaded when it is first needed.
    await expect.poll(() => appliedMessage('broken')).toMatch(/^Failed to process ignoreFields: .*JQ expression error/);
    const work = await world.work('broken');
    const condition = work?.status?.resourceStatus?.manifests?.[0]?.conditions.find(({ type }) => type === 'Applied');
    expect(condition).toMatchObject({ status: 'False', reason: 'AppliedManifestSSAIgnoreFieldError' });
    expect(told(work?.status?.conditions)).toContain('Applied=False');
    expect(await world.object(deployment('broken'))).toBeUndefined();
  });
});
