import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configMap, ofManifests, startWorld, type World } from '../fixtures/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.start();
});
afterAll(() => world[Symbol.asyncDispose]());

const executor = {
  subject: { type: 'ServiceAccount' as const, serviceAccount: { namespace: 'default', name: 'deployer' } },
};
const rbac = 'rbac.authorization.k8s.io';
const role = (verbs: readonly string[], resourceNames?: readonly string[]) => ({
  apiVersion: `${rbac}/v1`,
  kind: 'Role',
  metadata: { namespace: 'default', name: 'deployer' },
  rules: [{ apiGroups: [''], resources: ['configmaps'], verbs, ...(resourceNames && { resourceNames }) }],
});
const binding = {
  apiVersion: `${rbac}/v1`,
  kind: 'RoleBinding',
  metadata: { namespace: 'default', name: 'deployer' },
  roleRef: { apiGroup: rbac, kind: 'Role', name: 'deployer' },
  subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: 'deployer' }],
};
const applying = ['create', 'update', 'patch', 'get'];

describe('the executor of a work', () => {
  it('[work 18.L-161] without rights applies nothing, and says so', async () => {
    await world.createWork('ex', [configMap('e1'), configMap('e2')], { executor });
    const work = await world.work('ex');
    expect(ofManifests(work, 'Applied')).toEqual(['False', 'False']);
    expect(work?.status?.resourceStatus?.manifests?.[0]?.conditions[0]?.message).toBe(
      'Failed to apply manifest: not allowed to apply the resource  configmaps, default e1, will try again in 1m0s',
    );
    expect(await world.object(configMap('e1'))).toBeUndefined();
  });

  it('[work 18.L-162] [work 18.L-169] applies what it may as soon as it may', async () => {
    await world.create(role([...applying, 'delete'], ['e1']));
    await world.create(binding);
    await world.advance(1_000);
    expect(ofManifests(await world.work('ex'), 'Applied')).toEqual(['True', 'False']);
    await world.edit(role([]), { rules: role([...applying, 'delete']).rules });
    await world.advance(1_000);
    expect(ofManifests(await world.work('ex'), 'Applied')).toEqual(['True', 'True']);
  });

  it('[work 18.L-169] leaves what it applied when its rights are revoked, and says that it is not allowed to apply it', async () => {
    await world.remove(binding);
    await world.advance(1_000);
    expect(ofManifests(await world.work('ex'), 'Applied')).toEqual(['False', 'False']);
    expect(ofManifests(await world.work('ex'), 'Available')).toEqual(['True', 'True']);
    await world.updateManifests('ex', [configMap('e1', { changed: 'yes' }), configMap('e3')]);
    expect((await world.object(configMap('e1')))?.data).toBeUndefined();
    expect(await world.object(configMap('e3'))).toBeUndefined();
    await world.create(binding);
    await world.advance(1_000);
    expect((await world.object(configMap('e1')))?.data).toEqual({ changed: 'yes' });
  });

  it('[work 18.L-164] needs the right to delete only what it owns', async () => {
    await world.edit(role([]), { rules: role(applying).rules });
    await world.advance(1_000);
    expect(ofManifests(await world.work('ex'), 'Applied')).toEqual(['False', 'False']);
    await world.updateWork('ex', (spec) => ({ ...spec, deleteOption: { propagationPolicy: 'Orphan' } }));
    expect(ofManifests(await world.work('ex'), 'Applied')).toEqual(['True', 'True']);
    await world.updateWork('ex', (spec) => ({
      ...spec,
      deleteOption: {
        propagationPolicy: 'SelectivelyOrphan',
        selectivelyOrphans: { orphaningRules: [{ resource: 'configmaps', namespace: 'default', name: 'e1' }] },
      },
    }));
    expect(ofManifests(await world.work('ex'), 'Applied')).toEqual(['True', 'False']);
  });

  it('costs no request for ten minutes while nothing changes', async () => {
    await world.edit(role([]), { rules: role([...applying, 'delete']).rules });
    await world.advance(1_000);
    world.takeRequests();
    await world.advance(590_000);
    expect(world.requests.filter(({ isWatch }) => !isWatch)).toEqual([]);
  });
});
