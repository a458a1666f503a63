import type { ManifestWork } from '@flotilla/api-types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  deployment,
  gadget,
  gadgetDefinition,
  namespace,
  role,
  roleBinding,
  serviceAccount,
} from '../fixtures/manifests.ts';
import { conditionStatuses, configMap, ofManifests, startWorld, type World } from '../fixtures/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.start();
});
afterAll(() => world[Symbol.asyncDispose]());

const applied = async (name: string): Promise<string[]> =>
  ((await world.appliedWork(name))?.status?.appliedResources ?? []).map(
    ({ resource, namespace: space, name: object }) => `${resource} ${space ? `${space}/` : ''}${object}`,
  );

const generations = (work: ManifestWork | undefined): (number | undefined)[] =>
  (work?.status?.conditions ?? []).map(({ observedGeneration }) => observedGeneration);

const messageOf = (work: ManifestWork | undefined, ordinal: number): string | undefined =>
  work?.status?.resourceStatus?.manifests?.[ordinal]?.conditions.find(({ type }) => type === 'Applied')?.message;

describe('what a work drops', () => {
  it('[work 18.A-2] goes from the cluster and from the record', async () => {
    await world.createWork('drops', [configMap('drops-1')]);
    await world.updateManifests('drops', [configMap('drops-2')]);
    expect(await world.object(configMap('drops-1'))).toBeUndefined();
    expect(await world.object(configMap('drops-2'))).toBeDefined();
    expect(await applied('drops')).toEqual(['configmaps default/drops-2']);
  });
});

describe('a manifest that cannot be applied', () => {
  const manifests = [configMap('bad', {}, 'nowhere'), configMap('good-1'), configMap('good-2')];

  it('[work 18.A-4] is reported, and the others are applied', async () => {
    await world.createWork('partly', manifests);
    const work = await world.work('partly');
    expect(conditionStatuses(work?.status?.conditions)).toEqual(['Applied=False', 'Available=False']);
    expect(ofManifests(work, 'Applied')).toEqual(['False', 'True', 'True']);
    expect(ofManifests(work, 'Available')).toEqual(['False', 'True', 'True']);
    expect(messageOf(work, 0)).toBe('Failed to apply manifest: namespaces "nowhere" not found, will try again in 1s');
    expect(await world.object(configMap('good-2'))).toBeDefined();
  });

  it('is applied as soon as its namespace is there', async () => {
    await world.advance(3_600_000);
    await world.spoke.client
      .dynamic({ apiVersion: 'v1', kind: 'Namespace' })
      .then((spaces) => spaces.create(namespace('nowhere')));
    await world.quiet();
    expect(ofManifests(await world.work('partly'), 'Applied')).toEqual(['True', 'True', 'True']);
    await world.updateManifests('partly', [configMap('bad', {}, 'nowhere-else'), ...manifests.slice(1)]);
  });

  it('[work 18.A-5] is applied when it is fixed', async () => {
    await world.updateManifests('partly', [configMap('bad'), configMap('good-1'), configMap('good-3')]);
    const work = await world.work('partly');
    expect(ofManifests(work, 'Available')).toEqual(['True', 'True', 'True']);
    expect(conditionStatuses(work?.status?.conditions)).toEqual(['Applied=True', 'Available=True']);
    expect(await world.object(configMap('good-2'))).toBeUndefined();
    expect(await applied('partly')).toEqual([
      'configmaps default/bad',
      'configmaps default/good-1',
      'configmaps default/good-3',
    ]);
  });

  it('[work 18.A-6] does not keep its work from being deleted', async () => {
    await world.updateManifests(
      'partly',
      manifests.map((manifest, index) => (index === 0 ? configMap('bad', {}, 'gone') : manifest)),
    );
    await world.deleteWork('partly');
    expect(await world.work('partly')).toBeUndefined();
    expect(await world.object(configMap('good-1'))).toBeUndefined();
    expect(await world.appliedWork('partly')).toBeUndefined();
  });
});

describe('a definition and an object of it in one work', () => {
  const group = 'one.example.com';
  const definition = gadgetDefinition(group);

  it('[work 18.A-7] are applied in one go', async () => {
    world.takeRequests();
    await world.createWork('gadgets', [gadget(group, 'g1'), definition]);
    const work = await world.work('gadgets');
    expect(conditionStatuses(work?.status?.conditions)).toEqual(['Applied=True', 'Available=True']);
    expect(world.takeRequests('hub')).toEqual(['PATCH manifestworks/gadgets', 'PATCH manifestworks/gadgets/status']);
    expect(await applied('gadgets')).toEqual([`customresourcedefinitions gadgets.${group}`, 'gadgets default/g1']);
  });

  it('[work 18.A-8] keeps annotations of others', async () => {
    await world.edit(gadget(group, 'g1'), { metadata: { annotations: { foo: 'bar' } } });
    await world.updateManifests('gadgets', [
      definition,
      gadget(group, 'g1', { metadata: { namespace: 'default', name: 'g1', annotations: { foo1: 'bar1' } } }),
    ]);
    expect((await world.object(gadget(group, 'g1')))?.metadata?.annotations).toEqual({ foo: 'bar', foo1: 'bar1' });
  });

  it('[work 18.A-9] keeps finalizers of others', async () => {
    await world.edit(gadget(group, 'g1'), { metadata: { finalizers: ['example.com/foo'] } });
    const before = await world.object(gadget(group, 'g1'));
    await world.updateManifests('gadgets', [
      definition,
      gadget(group, 'g1', { metadata: { namespace: 'default', name: 'g1', annotations: { foo1: 'bar2' } } }),
    ]);
    const { metadata } = (await world.object(gadget(group, 'g1'))) ?? {};
    expect(metadata?.finalizers).toEqual(['example.com/foo']);
    expect(metadata?.annotations?.foo1).toBe('bar2');
    expect(metadata?.resourceVersion).not.toBe(before?.metadata?.resourceVersion);
    await world.edit(gadget(group, 'g1'), { metadata: { finalizers: null } });
  });

  it('[work 18.A-20] keeps the object when the manifest moves to another version', async () => {
    const before = await world.object(gadget(group, 'g1'));
    await world.updateManifests('gadgets', [definition, gadget(group, 'g1', { spec: { size: 2 } }, 'v2')]);
    const after = await world.object(gadget(group, 'g1', {}, 'v2'));
    expect(after?.spec).toEqual({ size: 2 });
    expect(after?.metadata?.uid).toBe(before?.metadata?.uid);
    expect((await world.appliedWork('gadgets'))?.status?.appliedResources).toMatchObject([{}, { version: 'v2' }]);
  });

  it('[work 18.A-10] go with the work', async () => {
    await world.deleteWork('gadgets');
    await world.advance(1000);
    expect(await world.work('gadgets')).toBeUndefined();
    expect(await world.object(definition)).toBeUndefined();
  });
});

describe('a kind that is not served', () => {
  const group = 'later.example.com';

  it('is named, waited for without requests, and applied when it is defined', async () => {
    await world.createWork('early', [gadget(group, 'g1'), configMap('early')]);
    const work = await world.work('early');
    expect(ofManifests(work, 'Applied')).toEqual(['False', 'True']);
    expect(ofManifests(work, 'Available')).toEqual(['Unknown', 'True']);
    expect(messageOf(work, 0)).toContain(`the server doesn't have a resource type "Gadget"`);
    world.takeRequests();
    await world.advance(600_000);
    expect(world.takeRequests()).toEqual([]);
    await world.createWork('definition', [gadgetDefinition(group)]);
    expect(ofManifests(await world.work('early'), 'Applied')).toEqual(['True', 'True']);
    expect(await world.object(gadget(group, 'g1'))).toBeDefined();
  });
});

describe('several kinds', () => {
  const manifests = [serviceAccount('sa1'), role('r1'), roleBinding('rb1', 'r1'), deployment('d1', 1)];

  it('[work 18.A-11] ignores the namespace of a kind that has none', async () => {
    const clusterRole = { ...role('cr1'), kind: 'ClusterRole' };
    await world.createWork('scope', [clusterRole]);
    expect(conditionStatuses((await world.work('scope'))?.status?.conditions)).toEqual([
      'Applied=True',
      'Available=True',
    ]);
    expect(await applied('scope')).toEqual(['clusterroles cr1']);
  });

  it('[work 18.A-12] [work 18.A-23] [work 18.B-39] are all applied and recorded, each at its place', async () => {
    await world.createWork('several', manifests);
    const work = await world.work('several');
    expect(ofManifests(work, 'Applied')).toEqual(['True', 'True', 'True', 'True']);
    expect(ofManifests(work, 'Available')).toEqual(['True', 'True', 'True', 'True']);
    expect(await applied('several')).toHaveLength(4);
    expect(work?.status?.resourceStatus?.manifests?.map(({ resourceMeta }) => resourceMeta.kind)).toEqual([
      'ServiceAccount',
      'Role',
      'RoleBinding',
      'Deployment',
    ]);
  });

  it('[work 18.A-13] keep what was said of them when they are reordered', async () => {
    const timesOf = (work: ManifestWork | undefined) =>
      Object.fromEntries(
        (work?.status?.resourceStatus?.manifests ?? []).map(({ resourceMeta, conditions }) => [
          resourceMeta.name,
          conditions[0]?.lastTransitionTime,
        ]),
      );
    const before = timesOf(await world.work('several'));
    await world.advance(5_000);
    await world.updateManifests('several', [
      deployment('d1', 2),
      role('r1'),
      roleBinding('rb1', 'r1'),
      serviceAccount('sa2'),
    ]);
    const work = await world.work('several');
    const after = timesOf(work);
    expect(work?.status?.resourceStatus?.manifests?.map(({ conditions }) => conditions.length)).toEqual([3, 3, 3, 3]);
    expect(after.d1).toBe(before.d1);
    expect(after.sa2).not.toBe(before.sa1);
    expect(generations(work)).toEqual([2, 2]);
    expect(await world.object(serviceAccount('sa1'))).toBeUndefined();
    expect((await world.object(deployment('d1')))?.spec).toMatchObject({ replicas: 2 });
  });

  it('does not write a deployment again for what the server filled in or reports', async () => {
    world.takeRequests();
    await world.spoke.client
      .dynamic({ apiVersion: 'apps/v1', kind: 'Deployment' })
      .then((handle) =>
        handle.status.patch('default/d1', { type: 'merge', body: { status: { replicas: 2, readyReplicas: 1 } } }),
      );
    await world.quiet();
    expect(world.takeRequests()).toEqual([]);
  });

  it('[work 18.A-15] keep their conditions when another writer edits them', async () => {
    const before = await world.work('several');
    await world.advance(5_000);
    await world.edit(deployment('d1'), { spec: { replicas: 7 } });
    expect((await world.object(deployment('d1')))?.spec).toMatchObject({ replicas: 2 });
    expect(await world.work('several')).toEqual(before);
  });

  it('[work 18.A-16] reports a change that the server refuses', async () => {
    await world.createWork('bindings', [roleBinding('b1', 'r1'), roleBinding('b2', 'r1')]);
    await world.updateManifests('bindings', [roleBinding('b1', 'r2'), roleBinding('b2', 'r1')]);
    const work = await world.work('bindings');
    expect(conditionStatuses(work?.status?.conditions)).toEqual(['Applied=False', 'Available=True']);
    expect(ofManifests(work, 'Applied')).toEqual(['False', 'True']);
    expect(generations(work)).toEqual([2, 2]);
    expect(messageOf(work, 0)).toMatch(/^Failed to apply manifest: .*cannot change roleRef.*, will try again in 1s$/);
    await world.updateManifests('bindings', [roleBinding('b1', 'r2'), roleBinding('b2', 'r2')]);
    expect(conditionStatuses((await world.work('bindings'))?.status?.conditions)).toEqual([
      'Applied=False',
      'Available=True',
    ]);
    expect(generations(await world.work('bindings'))).toEqual([3, 3]);
    await world.deleteWork('bindings');
  });
});

describe('a work that brings its namespaces', () => {
  const manifests = [
    configMap('cm1', {}, 'ns1'),
    namespace('ns1'),
    configMap('cm2', {}, 'ns1'),
    configMap('cm3', { a: '1' }, 'ns2'),
  ];

  it('[work 18.A-17] is applied in one go, namespaces first', async () => {
    await world.spoke.client
      .dynamic({ apiVersion: 'v1', kind: 'Namespace' })
      .then((spaces) => spaces.create(namespace('ns2')));
    world.takeRequests();
    await world.createWork('spaces', manifests);
    expect(ofManifests(await world.work('spaces'), 'Applied')).toEqual(['True', 'True', 'True', 'True']);
    expect(world.takeRequests('hub')).toHaveLength(2);
    expect(await applied('spaces')).toEqual([
      'configmaps ns1/cm1',
      'configmaps ns1/cm2',
      'configmaps ns2/cm3',
      'namespaces ns1',
    ]);
  });

  it('[work 18.A-18] drops one object and changes another', async () => {
    await world.updateManifests('spaces', [...manifests.slice(1, 3), configMap('cm3', { a: '2' }, 'ns2')]);
    expect(await world.object(configMap('cm1', {}, 'ns1'))).toBeUndefined();
    expect((await world.object(configMap('cm3', {}, 'ns2')))?.data).toEqual({ a: '2' });
  });

  it('[work 18.A-19] waits with the deletion for an object with a finalizer of another owner', async () => {
    await world.edit(configMap('cm3', {}, 'ns2'), { metadata: { finalizers: ['example.com/hold'] } });
    await world.deleteWork('spaces');
    await world.advance(60_000);
    expect(conditionStatuses((await world.work('spaces'))?.status?.conditions)).toContain('Deleting=True');
    expect(await applied('spaces')).toContain('configmaps ns2/cm3');
    await world.edit(configMap('cm3', {}, 'ns2'), { metadata: { finalizers: null } });
    await world.advance(1000);
    expect(await world.work('spaces')).toBeUndefined();
    expect(await world.appliedWork('spaces')).toBeUndefined();
    expect(await world.object(configMap('cm2', {}, 'ns1'))).toBeUndefined();
  });
});
