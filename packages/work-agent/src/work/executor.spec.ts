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

  it('is asked about again within a minute when the server could not say what it may', async () => {
    const serviceAccount = { namespace: 'default', name: 'other' };
    await world.edit(role([]), { rules: role([...applying, 'delete']).rules });
    await world.create({
      ...binding,
      metadata: { namespace: 'default', name: 'other' },
      subjects: [{ kind: 'ServiceAccount', ...serviceAccount }],
    });
    await world.advance(1_000);
    world.failWith(({ path }) => (path.includes('subjectaccessreviews') ? 'Unavailable' : undefined));
    const other = { subject: { type: 'ServiceAccount' as const, serviceAccount } };
    await world.createWork('unsure', [configMap('unsure')], { executor: other });
    expect(ofManifests(await world.work('unsure'), 'Applied')).toEqual(['False']);
    world.failWith(undefined);
    await world.advance(60_000);
    expect(ofManifests(await world.work('unsure'), 'Applied')).toEqual(['True']);
  });

  it('costs no request for ten minutes while nothing changes', async () => {
    await world.edit(role([]), { rules: role([...applying, 'delete']).rules });
    await world.advance(1_000);
    world.takeRequests();
    await world.advance(590_000);
    expect(world.requests.filter(({ isWatch }) => !isWatch)).toEqual([]);
  });
});

describe('a manifest that grants rights', () => {
  const granting = { ...role(['get']), metadata: { namespace: 'default', name: 'granted' } };
  const allOf = (resources: string) => ({
    apiGroups: resources === 'roles' ? [rbac] : [''],
    resources: [resources],
    verbs: [...applying, 'delete'],
  });
  const dryRuns = () =>
    world.requests.splice(0).filter(({ method, path }) => method === 'POST' && path.endsWith('/roles')).length;

  it('[work 18.L-165] is tried as its executor before it is written, and not for what happens to its siblings', async () => {
    await world.edit(role([]), { rules: [allOf('configmaps'), allOf('roles')] });
    await world.advance(1_000);
    dryRuns();
    await world.createWork('grants', [configMap('beside'), granting], { executor });
    expect(ofManifests(await world.work('grants'), 'Applied')).toEqual(['True', 'True']);
    expect(dryRuns()).toBeGreaterThan(0);
    for (const label of ['1', '2', '3', '4']) {
      await world.edit(configMap('beside'), { metadata: { labels: { label } } });
    }
    expect(dryRuns()).toBe(0);
  });

  it('is tried again each time it is written', async () => {
    await world.edit(granting, { rules: [] });
    expect((await world.object(granting))?.rules).toEqual(granting.rules);
    expect(dryRuns()).toBe(1);
  });

  it('is reported when its executor may not grant the rights any more', async () => {
    await world.edit(role([]), {
      rules: [allOf('roles'), { ...allOf('configmaps'), verbs: ['create', 'update', 'patch', 'delete'] }],
    });
    await world.advance(1_000);
    const work = await world.work('grants');
    const message = work?.status?.resourceStatus?.manifests?.[1]?.conditions[0]?.message;
    expect(message).toContain('permission escalation');
    await world.deleteWork('grants');
  });

  it('[work 18.L-165] is available when the object existed before, though its executor may not grant the rights', async () => {
    const before = { ...granting, metadata: { namespace: 'default', name: 'before' } };
    await world.create(before);
    await world.createWork('before', [granting, before], { executor });
    const work = await world.work('before');
    expect(ofManifests(work, 'Applied')).toEqual(['False', 'False']);
    expect(ofManifests(work, 'Available')).toEqual(['False', 'True']);
    await world.deleteWork('before');
  });
});

describe('an object that is not deleted with its work', () => {
  const secret = (type: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'default', name: 'kept' },
    type,
  });
  const grant = (verbs: readonly string[]) =>
    world.edit(role([]), { rules: [{ apiGroups: [''], resources: ['secrets'], verbs }] });

  it('is not deleted to be created again by an executor that may not delete it', async () => {
    await grant(applying);
    await world.advance(1_000);
    const deleteOption = { propagationPolicy: 'Orphan' as const };
    await world.createWork('kept', [secret('example.com/old')], { executor, deleteOption });
    const { uid } = (await world.object(secret('')))?.metadata ?? {};
    await world.updateManifests('kept', [secret('example.com/new')]);
    const work = await world.work('kept');
    expect(ofManifests(work, 'Applied')).toEqual(['False']);
    const conditions = work?.status?.resourceStatus?.manifests?.[0]?.conditions;
    expect(conditions?.find(({ type }) => type === 'Applied')?.message).toBe(
      'Failed to apply manifest: not allowed to apply the resource  secrets, default kept, will try again in 1m0s',
    );
    expect((await world.object(secret('')))?.metadata?.uid).toBe(uid);
  });

  it('is created again as soon as it may be deleted', async () => {
    await grant([...applying, 'delete']);
    await world.advance(1_000);
    expect((await world.object(secret('')))?.type).toBe('example.com/new');
    expect(ofManifests(await world.work('kept'), 'Applied')).toEqual(['True']);
  });
});
