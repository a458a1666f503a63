import { appliedManifestWorks } from '@flotilla/api-types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { conditionStatuses, configMap, startWorld, type World } from '../fixtures/world.ts';
import { hubHashOf } from '../hub-hash.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.start();
});
afterAll(() => world[Symbol.asyncDispose]());

const ownersOf = async (name: string): Promise<string[] | undefined> =>
  (await world.object(configMap(name)))?.metadata?.ownerReferences?.map((owner) => owner.name);

const applied = async (name: string): Promise<string[]> =>
  ((await world.appliedWork(name))?.status?.appliedResources ?? []).map((resource) => resource.name);

const hold = (name: string) => world.edit(configMap(name), { metadata: { finalizers: ['example.com/hold'] } });
const releaseFinalizers = (name: string) => world.edit(configMap(name), { metadata: { finalizers: null } });
const orphan = (name: string) => ({
  deleteOption: {
    propagationPolicy: 'SelectivelyOrphan' as const,
    selectivelyOrphans: { orphaningRules: [{ resource: 'configmaps', namespace: 'default', name }] },
  },
});

describe('an object of two works', () => {
  it('[work 18.G-91] [work 18.G-92] [work 18.G-97] stays the same until the last of them releases it', async () => {
    await world.createWork('a', [configMap('shared'), configMap('only-a')]);
    await world.createWork('b', [configMap('shared')]);
    await world.createWork('c', [configMap('shared'), configMap('only-c')]);
    const { uid } = (await world.object(configMap('shared')))?.metadata ?? {};
    expect(await ownersOf('shared')).toHaveLength(3);
    await world.deleteWork('a');
    expect(await world.appliedWork('a')).toBeUndefined();
    expect(await world.object(configMap('only-a'))).toBeUndefined();
    await world.updateManifests('c', [configMap('only-c')]);
    expect((await world.object(configMap('shared')))?.metadata?.uid).toBe(uid);
    expect(await ownersOf('shared')).toEqual([`${world.hubHash}-b`]);
    expect(await applied('b')).toEqual(['shared']);
    await world.deleteWork('b');
    expect(await world.object(configMap('shared'))).toBeUndefined();
    await world.deleteWork('c');
  });

  it('[work 18.G-98] does not spare what another kind of owner has too', async () => {
    await world.createWork('owned', [configMap('owned')]);
    const { metadata } = (await world.object(configMap('owned'))) ?? {};
    await world.create(configMap('other-owner'));
    const { uid = '' } = (await world.object(configMap('other-owner')))?.metadata ?? {};
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other-owner', uid };
    await world.edit(configMap('owned'), {
      metadata: { ownerReferences: [...(metadata?.ownerReferences ?? []), other] },
    });
    await world.deleteWork('owned');
    expect(await world.object(configMap('owned'))).toBeUndefined();
  });
});

describe('delete options', () => {
  it('[work 18.G-93] orphan all', async () => {
    await world.createWork('orphans', [configMap('o1'), configMap('o2')], {
      deleteOption: { propagationPolicy: 'Orphan' },
    });
    expect(await ownersOf('o1')).toBeUndefined();
    await world.deleteWork('orphans');
    expect(await world.work('orphans')).toBeUndefined();
    expect(await world.object(configMap('o1'))).toBeDefined();
    expect(await world.object(configMap('o2'))).toBeDefined();
  });

  it('[work 18.G-94] orphan those that are named', async () => {
    await world.createWork('some', [configMap('s1'), configMap('s2')], orphan('s1'));
    expect(await ownersOf('s1')).toBeUndefined();
    expect(await ownersOf('s2')).toHaveLength(1);
    await world.deleteWork('some');
    expect(await world.object(configMap('s1'))).toBeDefined();
    expect(await world.object(configMap('s2'))).toBeUndefined();
  });

  it('[work 18.G-95] orphan a named one also when its manifest is dropped', async () => {
    await world.createWork('dropped', [configMap('d1'), configMap('d2')], orphan('d1'));
    await world.updateManifests('dropped', [configMap('d2')]);
    expect(await world.object(configMap('d1'))).toBeDefined();
    expect(await applied('dropped')).toEqual(['d2']);
  });

  it('[work 18.G-96] can be taken back', async () => {
    await world.createWork('back', [configMap('b1'), configMap('b2')], orphan('b1'));
    await world.updateWork('back', ({ deleteOption: _, ...spec }) => spec);
    expect(await ownersOf('b1')).toHaveLength(1);
    await world.deleteWork('back');
    expect(await world.object(configMap('b1'))).toBeUndefined();
    expect(await world.object(configMap('b2'))).toBeUndefined();
  });
});

describe('objects with a finalizer of another owner', () => {
  it('[work 18.G-86] [work 18.G-87] [work 18.H-111] stay listed until they are gone', async () => {
    await world.createWork('held', [configMap('h1'), configMap('h2')]);
    await hold('h1');
    await world.updateManifests('held', [configMap('h2'), configMap('a-new-one')]);
    expect(await applied('held')).toEqual(['a-new-one', 'h1', 'h2']);
    world.takeRequests();
    await world.advance(600_000);
    expect(world.takeRequests('spoke')).toEqual([]);
    await releaseFinalizers('h1');
    expect(await applied('held')).toEqual(['a-new-one', 'h2']);
  });

  it('[work 18.G-88] are forgotten if another of their name took their place', async () => {
    await world.createWork('replaced', [configMap('r1'), configMap('r2')]);
    const before = (await world.appliedWork('replaced'))?.status?.appliedResources ?? [];
    await world.spoke.client.resource(appliedManifestWorks).status.patch(`${world.hubHash}-replaced`, {
      type: 'merge',
      body: { status: { appliedResources: before.map((resource) => ({ ...resource, uid: 'another' })) } },
    });
    await world.updateManifests('replaced', [configMap('r2')]);
    expect(await world.object(configMap('r1'))).toBeDefined();
    expect(await applied('replaced')).toEqual(['r2']);
  });

  it('[work 18.H-101] [work 18.H-110] keep the work, which says that it is being deleted', async () => {
    const names = ['k1', 'k2', 'k3'];
    await world.createWork(
      'kept',
      names.map((name) => configMap(name)),
    );
    for (const name of names) await hold(name);
    await world.deleteWork('kept');
    expect(conditionStatuses((await world.work('kept'))?.status?.conditions)).toEqual([
      'Applied=True',
      'Available=True',
      'Deleting=True',
    ]);
    for (const [index, name] of names.entries()) {
      expect(await applied('kept')).toEqual(names.slice(index));
      await releaseFinalizers(name);
      await world.advance(1_000);
    }
    expect(await world.work('kept')).toBeUndefined();
    expect(await world.appliedWork('kept')).toBeUndefined();
  });

  it('[work 18.H-102] [work 18.H-107] are not asked for again while they are on their way out', async () => {
    await world.createWork('waiting', [configMap('w1')]);
    await hold('w1');
    await world.deleteWork('waiting');
    world.takeRequests();
    await world.advance(3_600_000);
    expect(world.takeRequests()).toEqual([]);
    await releaseFinalizers('w1');
    expect(await world.work('waiting')).toBeUndefined();
  });
});

describe('a work that goes', () => {
  it('[work 18.H-103] only loses its finalizer if nothing was applied', async () => {
    await world.stop();
    await world.createWork('never', [configMap('never')]);
    const works = await world.hub.client.dynamic({
      apiVersion: 'work.open-cluster-management.io/v1',
      kind: 'ManifestWork',
    });
    await works.patch('c1/never', {
      type: 'merge',
      body: { metadata: { finalizers: ['cluster.open-cluster-management.io/manifest-work-cleanup'] } },
    });
    await world.deleteWork('never');
    world.takeRequests();
    await world.start();
    expect(world.takeRequests('hub').filter((request) => request.includes('never'))).toEqual([
      'PATCH manifestworks/never',
    ]);
    expect(await world.work('never')).toBeUndefined();
  });

  it('[work 18.H-106] [work 18.H-108] forgets what is gone or not its own', async () => {
    await world.createWork('mixed', [configMap('m1'), configMap('m2')]);
    await world.stop();
    await world.remove(configMap('m1'));
    await world.remove(configMap('m2'));
    await world.create(configMap('m2', { of: 'another' }));
    await world.deleteWork('mixed');
    await world.start();
    expect(await world.work('mixed')).toBeUndefined();
    expect((await world.object(configMap('m2')))?.data).toEqual({ of: 'another' });
  });
});

describe('records that are not to be touched', () => {
  it('[work 18.H-100] [work 18.H-104] [work 18.H-105] [work 18.I-113] cost no request', async () => {
    const records = world.spoke.client.resource(appliedManifestWorks);
    await records.create({
      metadata: { name: 'of-another-agent', finalizers: ['example.com/theirs'] },
      spec: { hubHash: 'other', agentID: 'another-agent', manifestWorkName: 'x' },
    });
    await records.create({
      metadata: { name: 'without-our-finalizer', finalizers: ['example.com/theirs'] },
      spec: { hubHash: world.hubHash, agentID: world.hubHash, manifestWorkName: 'x' },
    });
    await world.quiet();
    world.takeRequests();
    await records.delete('of-another-agent');
    await records.delete('without-our-finalizer');
    await world.advance(24 * 3_600);
    expect(world.takeRequests()).toEqual([]);
    for (const name of ['of-another-agent', 'without-our-finalizer']) {
      await records.patch(name, { type: 'merge', body: { metadata: { finalizers: null } } });
    }
  });

  it('[work 18.G-84] are not written for a work without manifests', async () => {
    await world.createWork('empty', []);
    expect((await world.appliedWork('empty'))?.status).toBeUndefined();
    await world.deleteWork('empty');
    expect(await world.work('empty')).toBeUndefined();
  });
});

describe('what was applied for a work that the hub does not have', () => {
  const seconds = 1_000;
  const forceDelete = async (name: string): Promise<void> => {
    const works = await world.hub.client.dynamic({
      apiVersion: 'work.open-cluster-management.io/v1',
      kind: 'ManifestWork',
    });
    await works.patch(`c1/${name}`, { type: 'merge', body: { metadata: { finalizers: null } } });
    await world.deleteWork(name);
  };

  it('[work 18.H-112] [work 18.I-114] [work 18.I-116] [work 18.I-117] goes after the grace period', async () => {
    await world.start({ options: { evictionGraceMs: 5 * seconds } });
    await world.spoke.client.resource(appliedManifestWorks).create({
      metadata: {
        name: `${world.hubHash}-by-hand`,
        finalizers: ['cluster.open-cluster-management.io/applied-manifest-work-cleanup'],
      },
      spec: { hubHash: world.hubHash, agentID: world.hubHash, manifestWorkName: 'by-hand' },
    });
    await world.quiet();
    expect((await world.appliedWork('by-hand'))?.status?.evictionStartTime).toBeDefined();
    await world.advance(4 * seconds);
    expect(await world.appliedWork('by-hand')).toBeDefined();
    await world.advance(2 * seconds);
    expect(await world.appliedWork('by-hand')).toBeUndefined();
  });

  it('stays for the whole grace period, though the wall clock is set forward', async () => {
    await world.start({ options: { evictionGraceMs: 60 * seconds } });
    await world.createWork('early', [configMap('early')]);
    await forceDelete('early');
    expect((await world.appliedWork('early'))?.status?.evictionStartTime).toBeDefined();
    world.clock.jump(3_600 * seconds);
    const labels = { touched: 'yes' };
    const name = `${world.hubHash}-early`;
    await world.spoke.client
      .resource(appliedManifestWorks)
      .patch(name, { type: 'merge', body: { metadata: { labels } } });
    await world.advance(50 * seconds);
    expect(await world.object(configMap('early'))).toBeDefined();
    await world.advance(20 * seconds);
    expect(await world.object(configMap('early'))).toBeUndefined();
  });

  it('[work 18.I-122] goes though the work went while the agent was away', async () => {
    await world.createWork('forced', [configMap('forced')]);
    await world.stop();
    await forceDelete('forced');
    await world.start({ options: { evictionGraceMs: 5 * seconds } });
    expect(await world.object(configMap('forced'))).toBeDefined();
    await world.advance(6 * seconds);
    expect(await world.object(configMap('forced'))).toBeUndefined();
    expect(await world.appliedWork('forced')).toBeUndefined();
  });

  it('[work 18.I-118] [work 18.I-123] stays if the work comes back', async () => {
    await world.createWork('returns', [configMap('returns')]);
    await forceDelete('returns');
    expect((await world.appliedWork('returns'))?.status?.evictionStartTime).toBeDefined();
    await world.createWork('returns', [configMap('returns')]);
    expect((await world.appliedWork('returns'))?.status?.evictionStartTime).toBeUndefined();
    await world.advance(60 * seconds);
    expect(await world.object(configMap('returns'))).toBeDefined();
  });

  it('[work 18.I-119] [work 18.I-124] stays for ever if eviction is switched off', async () => {
    await world.createWork('for-ever', [configMap('for-ever')]);
    await forceDelete('for-ever');
    expect((await world.appliedWork('for-ever'))?.status?.evictionStartTime).toBeDefined();
    await world.start({ options: { evictionGraceMs: 100 * 365 * 24 * 3_600 * seconds } });
    expect((await world.appliedWork('for-ever'))?.status?.evictionStartTime).toBeUndefined();
    await world.advance(3_600 * seconds);
    expect(await world.object(configMap('for-ever'))).toBeDefined();
  });
});

describe('another hub', () => {
  const otherHash = hubHashOf('https://other.example:6443');

  it('[work 18.I-120] of another agent leaves the record of the first alone', async () => {
    await world.start({ agentID: 'agent-1' });
    await world.createWork('moved', [configMap('moved')]);
    const { uid } = (await world.object(configMap('moved')))?.metadata ?? {};
    await world.start({ hubHash: otherHash, agentID: 'agent-2', options: { evictionGraceMs: 5_000 } });
    await world.advance(60_000);
    expect((await ownersOf('moved'))?.sort()).toEqual([`${world.hubHash}-moved`, `${otherHash}-moved`].sort());
    expect((await world.object(configMap('moved')))?.metadata?.uid).toBe(uid);
  });

  it('[work 18.I-115] [work 18.I-121] of the same agent takes over without recreating any object', async () => {
    await world.start({ agentID: 'agent-1' });
    const { uid } = (await world.object(configMap('moved')))?.metadata ?? {};
    await world.start({ hubHash: otherHash, agentID: 'agent-1', options: { evictionGraceMs: 5_000 } });
    await world.advance(60_000);
    expect(await ownersOf('moved')).toEqual([`${otherHash}-moved`]);
    expect(await world.appliedWork('moved')).toBeUndefined();
    expect((await world.object(configMap('moved')))?.metadata?.uid).toBe(uid);
  });
});
