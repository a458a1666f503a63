import { type ManifestUpdateStrategy, manifestWorks } from '@flotilla/api-types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { strategyConfig } from '../fixtures/manifests.ts';
import { configMap, ofManifests, startWorld, type World } from '../fixtures/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.start();
});
afterAll(() => world[Symbol.asyncDispose]());

const rbac = 'rbac.authorization.k8s.io';
const account = { namespace: 'default', name: 'reader' };
const executor = { subject: { type: 'ServiceAccount' as const, serviceAccount: account } };
const role = {
  apiVersion: `${rbac}/v1`,
  kind: 'Role',
  metadata: account,
  rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'update', 'patch', 'get', 'delete'] }],
};
const binding = {
  apiVersion: `${rbac}/v1`,
  kind: 'RoleBinding',
  metadata: account,
  roleRef: { apiGroup: rbac, kind: 'Role', name: 'reader' },
  subjects: [{ kind: 'ServiceAccount', ...account }],
};
const configs = (name: string, type: ManifestUpdateStrategy['type']) => [strategyConfig('configmaps', name, { type })];
const applied = async (name: string) => ofManifests(await world.work(name), 'Applied');

const refuseWrites = (name: string) =>
  world.failWith(({ side, method, path }) =>
    side === 'spoke' && method === 'PUT' && path.endsWith(`/${name}`) ? 'Invalid' : undefined,
  );

describe('a failure of a manifest that is only observed now', () => {
  it('ends when the executor of a read-only manifest gets its rights', async () => {
    await world.create(configMap('read', { a: '1' }));
    await world.createWork('read', [configMap('read')], { executor, manifestConfigs: configs('read', 'ReadOnly') });
    expect(await applied('read')).toEqual(['False']);
    await world.create(role);
    await world.create(binding);
    await world.advance(1_000);
    expect(await applied('read')).toEqual(['True']);
    expect(ofManifests(await world.work('read'), 'Available')).toEqual(['True']);
  });

  it('ends when a manifest that the server refuses becomes read-only, and nothing is tried again', async () => {
    await world.createWork('moved', [configMap('moved', { a: '1' })]);
    refuseWrites('moved');
    await world.updateManifests('moved', [configMap('moved', { a: '2' })]);
    expect(await applied('moved')).toEqual(['False']);
    await world.updateWork('moved', (spec) => ({ ...spec, manifestConfigs: configs('moved', 'ReadOnly') }));
    expect(await applied('moved')).toEqual(['True']);
    world.takeRequests();
    await world.advance(600_000);
    expect(world.takeRequests()).toEqual([]);
    world.failWith(undefined);
  });

  it('ends when the manifest is complete', async () => {
    await world.createWork('done', [configMap('done', { a: '1' })]);
    refuseWrites('done');
    await world.updateManifests('done', [configMap('done', { a: '2' })]);
    const work = await world.work('done');
    const [manifest] = work?.status?.resourceStatus?.manifests ?? [];
    const complete = {
      type: 'Complete',
      status: 'True',
      reason: 'ConditionRuleEvaluated',
      message: '',
      observedGeneration: work?.metadata?.generation,
      lastTransitionTime: new Date(world.clock.now()).toISOString(),
    };
    const conditions = [...(manifest?.conditions ?? []), complete];
    await world.hub.client.resource(manifestWorks).status.patch('c1/done', {
      type: 'merge',
      body: { status: { resourceStatus: { manifests: [{ ...manifest, conditions }] } } },
    });
    await world.quiet();
    await world.advance(1_000);
    expect(await applied('done')).toEqual(['True']);
    world.failWith(undefined);
  });
});
