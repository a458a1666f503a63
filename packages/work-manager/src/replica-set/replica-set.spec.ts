import { Finalizer, Label, managedClusters } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { formatTime } from '@flotilla/kube/meta';
import { describe, expect, it } from 'vitest';
import { failed, hubOf, startManager, succeeded, template } from '../fixtures/running-manager.ts';

const start = async (...clusters: readonly string[]) => {
  const manager = await startManager(clusters);
  return { manager, hub: hubOf(manager) };
};
const writesTo = (writes: readonly string[], ...methods: readonly string[]): string[] =>
  writes.filter((write) => methods.includes(write.split(' ')[0] ?? '') && write.includes('/manifestworks')).sort();

describe('a replica set', () => {
  it('[work 18.N-177] [work 18.N-178] gets its finalizer first, and says that its placement does not exist', async () => {
    const { manager, hub } = await start();
    await using _ = manager;
    await hub.create({});
    expect(manager.takeWrites()).toEqual([
      'PATCH ns/manifestworkreplicasets/web',
      'PATCH ns/manifestworkreplicasets/web/status',
    ]);
    expect((await hub.sets.get('ns/web')).metadata?.finalizers).toEqual([Finalizer.ManifestWorkReplicaSetCleanup]);
    expect((await hub.status()).conditions).toEqual({ PlacementVerified: 'False PlacementDecisionNotFound' });
  });

  it('is deployed on a server that does not serve ManagedClusters: they are used for reachability only', async () => {
    const crds = customResourceDefinitions().filter(({ spec }) => spec.names.kind !== 'ManagedCluster');
    await using manager = await startManager(['c1'], { ManifestWorkReplicaSet: true }, crds);
    const hub = hubOf(manager);
    await hub.select('p', ['c1']);
    await hub.create({});
    await manager.pass(20_000);
    expect(Object.keys(await hub.versions())).toEqual(['c1']);
  });

  it('knows ManagedClusters as soon as they can be read, though it went on without them', async () => {
    const { manager, hub } = await start('c1', 'c2');
    await using _ = manager;
    manager.failReads('/managedclusters', 'Forbidden');
    await manager.restart();
    await hub.select('p', ['c1', 'c2']);
    const progressive = { maxConcurrency: 1 };
    await hub.create({ placementRefs: [{ name: 'p', rolloutStrategy: { type: 'Progressive', progressive } }] });
    await manager.pass(20_000);
    expect(Object.keys(await hub.versions())).toEqual(['c1']);

    await manager.pass(5_000);
    const conditions = [
      {
        type: 'ManagedClusterConditionAvailable',
        status: 'Unknown',
        reason: 'Test',
        message: '',
        lastTransitionTime: formatTime(manager.clock.now()),
      },
    ];
    const clusters = manager.plane.client.resource(managedClusters);
    await clusters.status.patch('c1', { type: 'merge', body: { status: { conditions } } });
    manager.failReads(undefined);
    await manager.pass(60_000);
    expect((await hub.status()).conditions).toMatchObject({ ClustersFailed: 'True MaxFailuresExceeded' });
  });

  it.each([
    ['Internal', ['waiting for the kinds of this controller to be served; other controllers run']],
    ['Forbidden', []],
  ] as const)('waits for ManagedClusters that give %s with these warnings: %j', async (code, warnings) => {
    const { manager } = await start('c1');
    await using _ = manager;
    manager.failReads('/managedclusters', code);
    await manager.restart();
    await manager.pass(60_000);
    expect(manager.warnings).toEqual(warnings);
  });

  it('[work 18.N-179] says that no cluster is selected', async () => {
    const { manager, hub } = await start();
    await using _ = manager;
    await hub.select('p', []);
    await hub.create({});
    const { conditions, messages } = await hub.status();
    expect(conditions).toEqual({
      PlacementVerified: 'False PlacementDecisionEmpty',
      PlacementRolledOut: 'True Complete',
      ManifestworkApplied: 'False PlacementDecisionEmpty',
    });
    expect(messages).toBe('');
  });

  it('[work 18.N-180] [work 18.N-192] creates one work on each selected cluster, with its labels, and follows the selection', async () => {
    const { manager, hub } = await start('c1', 'c2', 'c3');
    await using _ = manager;
    await hub.select('p', ['c1', 'c2', 'c3']);
    await hub.create({}, { labels: { team: 'shop' } });
    const writes = manager.takeWrites();
    expect(writesTo(writes, 'POST')).toEqual(['c1', 'c2', 'c3'].map((name) => `POST ${name}/manifestworks`));
    expect((await hub.status()).summary).toMatchObject({ total: 3, desiredTotal: 3, updated: 3 });
    const { items } = await hub.works.list();
    expect(items.map(({ metadata }) => metadata?.name)).toEqual(['web', 'web', 'web']);
    expect(items[0]?.metadata?.labels).toEqual({
      team: 'shop',
      [Label.ManifestWorkReplicaSet]: 'ns.web',
      [Label.ManifestWorkPlacement]: 'p',
    });
    expect(items[0]?.metadata?.ownerReferences).toBeUndefined();

    await hub.select('p', ['c1', 'c3']);
    expect(Object.keys(await hub.versions())).toEqual(['c1', 'c3']);
    expect(writesTo(manager.takeWrites(), 'POST', 'DELETE')).toHaveLength(1);
    expect((await hub.status()).summary).toMatchObject({ total: 2 });

    await hub.sets.delete('ns/web');
    await manager.quiet();
    expect(await hub.versions()).toEqual({});
    expect(await hub.sets.find('ns/web')).toBeUndefined();
  });

  it('[work 18.N-181] writes only the status if all works are right, and nothing the next time', async () => {
    const { manager, hub } = await start('c1', 'c2');
    await using _ = manager;
    await hub.select('p', ['c1', 'c2']);
    await hub.create({});
    manager.takeWrites();
    await hub.report('c1', { Applied: 'True', Available: 'True' });
    await hub.report('c2', { Applied: 'True', Available: 'True' });
    expect(writesTo(manager.takeWrites(), 'POST', 'PATCH', 'DELETE')).toEqual([]);
    expect((await hub.status()).conditions).toMatchObject({ ManifestworkApplied: 'True AsExpected' });
    await manager.restart();
    expect(manager.takeWrites()).toEqual([]);
  });

  it('[work 18.N-182] creates what is missing and deletes what is not selected, in one reconcile', async () => {
    const { manager, hub } = await start('c1', 'c2', 'c3', 'c4');
    await using _ = manager;
    await hub.select('p', ['c1', 'c2']);
    await hub.create({});
    manager.takeWrites();
    await hub.select('p', ['c2', 'c3', 'c4']);
    const writes = manager.takeWrites();
    expect(writesTo(writes, 'POST')).toEqual(['POST c3/manifestworks', 'POST c4/manifestworks']);
    expect(writesTo(writes, 'DELETE')).toHaveLength(1);
    expect((await hub.status()).summary).toMatchObject({ total: 3 });
  });

  it('[work 18.N-187] deletes the works of a placement that leaves the spec, and keeps the others', async () => {
    const { manager, hub } = await start('c1', 'c2', 'c3');
    await using _ = manager;
    for (const [name, cluster] of [
      ['p', 'c1'],
      ['q', 'c2'],
      ['r', 'c3'],
    ] as const)
      await hub.select(name, [cluster]);
    await hub.create({ placementRefs: [{ name: 'p' }, { name: 'q' }, { name: 'r' }] });
    await hub.change({ placementRefs: [{ name: 'q' }] });
    const { items } = await hub.works.list();
    expect(items.map(({ metadata }) => metadata?.labels?.[Label.ManifestWorkPlacement])).toEqual(['q']);
    expect((await hub.status()).summary).toMatchObject({ total: 1 });
  });

  it('[work 18.N-193] counts what agents report', async () => {
    const { manager, hub } = await start('c1');
    await using _ = manager;
    await hub.select('p', ['c1']);
    await hub.create({});
    await hub.report('c1', succeeded);
    expect(await hub.status()).toMatchObject({
      summary: { total: 1, applied: 1, available: 1 },
      conditions: { PlacementRolledOut: 'True Complete' },
    });
    await hub.report('c1', failed);
    expect(await hub.status()).toMatchObject({
      summary: { total: 1, degraded: 1, progressing: 1, available: 0 },
      conditions: { PlacementRolledOut: 'False Progressing', ClustersFailed: 'True RolloutFailed' },
    });
  });

  it('with a dotted name follows its works', async () => {
    const { manager, hub } = await start('c1');
    await using _ = manager;
    await hub.select('p', ['c1']);
    await hub.create({}, { name: 'web.v1.shop' });
    await hub.report('c1', succeeded);
    expect((await hub.status('web.v1.shop')).conditions).toMatchObject({ PlacementRolledOut: 'True Complete' });
  });

  it('with a name that is too long for a label says so', async () => {
    const { manager, hub } = await start('c1');
    await using _ = manager;
    await hub.select('p', ['c1']);
    await hub.create({}, { name: 'w'.repeat(62) });
    const { conditions, messages } = await hub.status('w'.repeat(62));
    expect(conditions).toEqual({ ManifestworkApplied: 'False InvalidManifestWorkName' });
    expect(messages).toContain('must be no more than 63 bytes');
    expect(await hub.versions()).toEqual({});
  });
});

describe('deletion', () => {
  it('[work 18.N-191] [work 18.N-198] in the foreground waits for the works, and deletes each once', async () => {
    const { manager, hub } = await start('c1', 'c2');
    await using _ = manager;
    await hub.select('p', ['c1', 'c2']);
    await hub.create({ cascadeDeletionPolicy: 'Foreground' });
    const [held] = (await hub.works.list({ namespace: 'c1' })).items;
    const key = `c1/${held?.metadata?.name}`;
    const hold = (finalizers: readonly string[]) =>
      hub.works.patch(key, { type: 'merge', body: { metadata: { finalizers } } });
    await hold([Finalizer.ManifestWorkCleanup]);
    manager.takeWrites();
    await hub.sets.delete('ns/web');
    await manager.quiet();
    expect(Object.keys(await hub.versions())).toEqual(['c1']);
    expect((await hub.sets.get('ns/web')).metadata?.deletionTimestamp).toBeDefined();
    await hub.report('c1', { Deleting: 'True' });
    expect(writesTo(manager.takeWrites(), 'DELETE')).toHaveLength(2);
    await hold([]);
    await manager.quiet();
    expect(await hub.versions()).toEqual({});
    expect(await hub.sets.find('ns/web')).toBeUndefined();
  });

  it('[work 18.N-191] in the background does not wait', async () => {
    const { manager, hub } = await start('c1');
    await using _ = manager;
    await hub.select('p', ['c1']);
    await hub.create({});
    const [held] = (await hub.works.list()).items;
    const body = { metadata: { finalizers: [Finalizer.ManifestWorkCleanup] } };
    await hub.works.patch(`c1/${held?.metadata?.name}`, { type: 'merge', body });
    await hub.sets.delete('ns/web');
    await manager.quiet();
    expect(await hub.sets.find('ns/web')).toBeUndefined();
    expect((await hub.works.get(`c1/${held?.metadata?.name}`)).metadata?.deletionTimestamp).toBeDefined();
  });
});

describe('what goes wrong', () => {
  it('on one cluster does not keep the others from their work, and is named', async () => {
    const { manager, hub } = await start('c1', 'c2', 'c3');
    await using _ = manager;
    await hub.select('p', ['c1', 'c2', 'c3', 'gone']);
    manager.refuse('namespaces/c2/manifestworks');
    await hub.create({});
    expect(Object.keys(await hub.versions())).toEqual(['c1', 'c3']);
    const { conditions, messages } = await hub.status();
    expect(conditions).toMatchObject({ ClustersFailed: 'True RolloutFailed', PlacementVerified: 'True AsExpected' });
    expect(messages).toContain('2 clusters did not get the work: ');
    expect(messages).toContain('c2: ');
    expect(messages).toContain('gone: ');
    manager.refuse(undefined);
    await hub.select('p', ['c1', 'c2', 'c3']);
    await manager.pass(10_000);
    expect(Object.keys(await hub.versions())).toEqual(['c1', 'c2', 'c3']);
    expect((await hub.status()).conditions).toMatchObject({ ClustersFailed: 'False NoClusterFailed' });
  });

  it('with one placement does not keep the others from their clusters', async () => {
    const { manager, hub } = await start('c1', 'c2');
    await using _ = manager;
    await hub.select('p', ['c1']);
    await hub.select('q', ['c2']);
    const rolloutStrategy = { type: 'Progressive' as const, progressive: { progressDeadline: '10s9' } };
    await hub.create({ placementRefs: [{ name: 'absent' }, { name: 'q', rolloutStrategy }, { name: 'p' }] });
    expect(await hub.versions()).toEqual({ c1: 'v1' });
    const { conditions, messages } = await hub.status();
    expect(conditions).toMatchObject({
      PlacementVerified: 'False PlacementDecisionNotFound',
      PlacementRolledOut: 'False Progressing',
      ClustersFailed: 'True InvalidRolloutStrategy',
    });
    expect(messages).toContain('Placement q: "10s9" is not a duration');
    expect(messages).toContain('There is no placement absent.');
  });

  it('between a creation and its event creates nothing twice, nor after a kill', async () => {
    const { manager, hub } = await start('c1', 'c2');
    await using _ = manager;
    await hub.select('p', ['c1', 'c2']);
    manager.refuse('manifestworkreplicasets/web/status');
    await hub.create({});
    await manager.restart();
    manager.refuse(undefined);
    await manager.pass(10_000);
    expect((await hub.works.list()).items).toHaveLength(2);
    expect(writesTo(manager.takeWrites(), 'POST')).toHaveLength(2);
  });

  it('with names does not touch works of other owners', async () => {
    const { manager, hub } = await start('c1');
    await using _ = manager;
    await hub.select('p', ['c1']);
    await hub.create({});
    const [own] = (await hub.works.list()).items;
    const name = own?.metadata?.name;
    await hub.select('p', []);
    await hub.works.create({ metadata: { namespace: 'c1', name }, spec: template('foreign') });
    await hub.select('p', ['c1']);
    const { items } = await hub.works.list();
    expect(items.map(({ metadata }) => metadata?.name)).toEqual([
      name,
      expect.stringMatching(/^web[bcdfghjklmnpqrstvwxz2456789]{5}$/),
    ]);
    expect((await hub.works.get(`c1/${name}`)).metadata?.labels).toBeUndefined();
  });
});
