import {
  Annotation,
  Finalizer,
  Label,
  ManagedClusterCondition,
  managedClusters,
  placementDecisions,
  placements,
} from '@flotilla/api-types';
import { formatTime } from '@flotilla/kube/meta';
import { describe, expect, it } from 'vitest';
import { failed, hubOf, progressing, startManager, succeeded, template } from '../fixtures/running-manager.ts';

const six = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'];
const start = async (clusters: readonly string[] = six) => {
  const manager = await startManager(clusters);
  return { manager, hub: hubOf(manager) };
};
const progressive = (settings: object) => ({
  placementRefs: [{ name: 'p', rolloutStrategy: { type: 'Progressive' as const, progressive: settings } }],
});
const perGroup = { type: 'ProgressivePerGroup' as const, progressivePerGroup: {} };
const clustersOf = async (hub: ReturnType<typeof hubOf>) => Object.keys(await hub.versions());

describe('ProgressivePerGroup', () => {
  it('[work 18.N-183] [work 18.N-185] goes group by group, and starts over with a new template', async () => {
    const { manager, hub } = await start();
    await using _ = manager;
    await hub.select('p', ['c1', 'c2', 'c3'], ['c4', 'c5']);
    await hub.create({ placementRefs: [{ name: 'p', rolloutStrategy: perGroup }] });
    expect(await hub.status()).toMatchObject({
      summary: { total: 3 },
      placementSummary: [{ name: 'p', availableDecisionGroups: '2 (3 / 5 clusters applied)', summary: { total: 3 } }],
      conditions: { PlacementVerified: 'True AsExpected', PlacementRolledOut: 'False Progressing' },
    });
    for (const cluster of ['c1', 'c2', 'c3']) await hub.report(cluster, succeeded);
    expect(await hub.status()).toMatchObject({
      summary: { total: 5 },
      placementSummary: [{ availableDecisionGroups: '2 (5 / 5 clusters applied)' }],
      conditions: { PlacementRolledOut: 'False Progressing' },
    });
    for (const cluster of ['c4', 'c5']) await hub.report(cluster, succeeded);
    expect((await hub.status()).conditions).toMatchObject({ PlacementRolledOut: 'True Complete' });

    await hub.change({ manifestWorkTemplate: template('v2') });
    expect(await hub.status()).toMatchObject({
      summary: { total: 3, updated: 3, desiredTotal: 5 },
      conditions: { PlacementRolledOut: 'False Progressing' },
    });
    expect(await hub.versions()).toEqual({ c1: 'v2', c2: 'v2', c3: 'v2', c4: 'v1', c5: 'v1' });
  });

  it('[work 18.N-184] beside All: each placement has its own summary', async () => {
    const { manager, hub } = await start();
    await using _ = manager;
    await hub.select('p', ['c1'], ['c2']);
    await hub.select('q', ['c3', 'c4', 'c5'], ['c6']);
    await hub.create({ placementRefs: [{ name: 'p' }, { name: 'q', rolloutStrategy: perGroup }] });
    const { summary, placementSummary } = await hub.status();
    expect(summary).toMatchObject({ total: 5 });
    expect(placementSummary?.map((each) => each.summary?.total)).toEqual([2, 3]);
  });

  it('[work 18.N-188] is not done while one cluster progresses or failed', async () => {
    const { manager, hub } = await start();
    await using _ = manager;
    await hub.select('p', ['c1', 'c2', 'c3']);
    await hub.create({ placementRefs: [{ name: 'p', rolloutStrategy: perGroup }] });
    await hub.report('c1', succeeded);
    await hub.report('c2', progressing);
    await hub.report('c3', failed);
    expect((await hub.status()).conditions).toMatchObject({ PlacementRolledOut: 'False Progressing' });
  });
});

describe('Progressive', () => {
  it('[work 18.N-194] has at most maxConcurrency clusters under way', async () => {
    const { manager, hub } = await start();
    await using _ = manager;
    await hub.select('p', six);
    await hub.create(progressive({ maxConcurrency: 2 }));
    for (const count of [2, 4, 6]) {
      const clusters = await clustersOf(hub);
      expect(clusters).toHaveLength(count);
      expect((await hub.status()).conditions).toMatchObject({ PlacementRolledOut: 'False Progressing' });
      for (const cluster of clusters.slice(-2)) await hub.report(cluster, succeeded);
    }
    expect((await hub.status()).conditions).toMatchObject({ PlacementRolledOut: 'True Complete' });
  });

  it('[work 18.N-195] stops when more clusters failed than maxFailures, names them, and leaves the others as they were', async () => {
    const { manager, hub } = await start();
    await using _ = manager;
    await hub.select('p', six);
    await hub.create({});
    await hub.change({ ...progressive({ maxConcurrency: 2, maxFailures: 1 }), manifestWorkTemplate: template('v2') });
    const changed = { c1: 'v2', c2: 'v2', c3: 'v1', c4: 'v1', c5: 'v1', c6: 'v1' };
    expect(await hub.versions()).toEqual(changed);
    await hub.report('c1', failed);
    await hub.report('c2', failed);
    expect(await hub.versions()).toEqual(changed);
    const { conditions, messages } = await hub.status();
    expect(conditions).toMatchObject({
      PlacementRolledOut: 'False Progressing',
      ClustersFailed: 'True MaxFailuresExceeded',
    });
    expect(messages).toContain('2 clusters failed: c1: Degraded');
    expect(messages).toContain('No other cluster of placement p gets the template: maxFailures is exceeded.');
  });

  it('[work 18.N-196] waits for the soak time', async () => {
    const { manager, hub } = await start();
    await using _ = manager;
    await hub.select('p', six);
    await hub.create(progressive({ maxConcurrency: 1, minSuccessTime: '5s' }));
    await hub.report('c1', succeeded);
    await manager.pass(4000);
    expect(await clustersOf(hub)).toEqual(['c1']);
    await manager.pass(1000);
    expect(await clustersOf(hub)).toEqual(['c1', 'c2']);
  });

  it('[work 18.N-186] [work 18.N-197] goes on after the deadline of a cluster that failed', async () => {
    const { manager, hub } = await start();
    await using _ = manager;
    await hub.select('p', six);
    await hub.create(progressive({ maxConcurrency: 1, maxFailures: 1, progressDeadline: '5s' }));
    await hub.report('c1', failed);
    expect(await clustersOf(hub)).toEqual(['c1']);
    await manager.pass(5000);
    expect(await clustersOf(hub)).toEqual(['c1', 'c2']);
    const { conditions, messages } = await hub.status();
    expect(conditions).toMatchObject({
      PlacementRolledOut: 'False Progressing',
      ClustersFailed: 'True RolloutFailed',
    });
    expect(messages).toContain('c1: not done before the progress deadline: Degraded');
  });

  it('takes up where it was after a restart', async () => {
    const { manager, hub } = await start();
    await using _ = manager;
    await hub.select('p', six);
    await hub.create(progressive({ maxConcurrency: 1, minSuccessTime: '5s' }));
    await hub.report('c1', succeeded);
    await manager.restart();
    expect(await clustersOf(hub)).toEqual(['c1']);
    await manager.pass(5000);
    expect(await clustersOf(hub)).toEqual(['c1', 'c2']);
  });
});

describe('a template without condition rules', () => {
  const reported = { Applied: 'True', Available: 'True' };

  it('[work 18.N-199] is rolled out by what agents report of any work', async () => {
    const { manager, hub } = await start(['c1', 'c2']);
    await using _ = manager;
    await hub.select('p', ['c1', 'c2']);
    await hub.create(progressive({ maxConcurrency: 1 }));
    await hub.report('c1', reported);
    expect(await clustersOf(hub)).toEqual(['c1', 'c2']);
    await hub.report('c2', reported);
    expect(await hub.status()).toMatchObject({
      summary: { total: 2, applied: 2, available: 2 },
      conditions: { ManifestworkApplied: 'True AsExpected', PlacementRolledOut: 'True Complete' },
    });
  });

  it('that cannot be applied fails, and the others keep what they have', async () => {
    const { manager, hub } = await start(['c1', 'c2']);
    await using _ = manager;
    await hub.select('p', ['c1', 'c2']);
    await hub.create(progressive({ maxConcurrency: 1 }));
    await hub.report('c1', reported);
    await hub.report('c2', reported);
    await hub.change({ manifestWorkTemplate: template('v2') });
    await hub.report('c1', { Applied: 'False' });
    expect(await hub.versions()).toEqual({ c1: 'v2', c2: 'v1' });
    const { conditions, messages } = await hub.status();
    expect(conditions).toMatchObject({ ClustersFailed: 'True MaxFailuresExceeded' });
    expect(messages).toContain('c1: Applied is not so');
  });

  it('soaks from the moment that it is applied anew, although conditions stay as they were', async () => {
    const { manager, hub } = await start(['c1', 'c2']);
    await using _ = manager;
    await hub.select('p', ['c1', 'c2']);
    await hub.create({});
    await hub.report('c1', reported);
    await hub.report('c2', reported);
    await manager.pass(60_000);
    const strategy = progressive({ maxConcurrency: 1, minSuccessTime: '5s' });
    await hub.change({ ...strategy, manifestWorkTemplate: template('v2') });
    const [work] = (await hub.works.list({ namespace: 'c1' })).items;
    const conditions = work?.status?.conditions?.map((each) => ({ ...each, observedGeneration: 2 }));
    const body = { status: { conditions } };
    await hub.works.status.patch(`c1/${work?.metadata?.name}`, { type: 'merge', body });
    await manager.quiet();
    expect(await hub.versions()).toEqual({ c1: 'v2', c2: 'v1' });
    await manager.pass(5000);
    expect(await hub.versions()).toEqual({ c1: 'v2', c2: 'v2' });
  });

  it('times out on a cluster whose agent does not report it', async () => {
    const { manager, hub } = await start(['c1', 'c2']);
    await using _ = manager;
    await hub.select('p', ['c1', 'c2']);
    await hub.create(progressive({ maxConcurrency: 1, maxFailures: 1, progressDeadline: '10s' }));
    await manager.pass(10_000);
    expect(await clustersOf(hub)).toEqual(['c1', 'c2']);
    expect((await hub.status()).messages).toContain('c1: not done before the progress deadline: its agent has not');
  });
});

describe('a cluster that cannot be reached', () => {
  type Running = Awaited<ReturnType<typeof start>>['manager'];
  const setAvailable = async ({ plane, clock, quiet }: Running, cluster: string, status: 'True' | 'Unknown') => {
    const lastTransitionTime = formatTime(clock.now());
    const condition = {
      type: ManagedClusterCondition.Available,
      status,
      reason: 'Test',
      message: '',
      lastTransitionTime,
    };
    const body = { status: { conditions: [condition] } };
    await plane.client.resource(managedClusters).status.patch(cluster, { type: 'merge', body });
    await quiet();
  };

  it('before it gets the work is named, and keeps no other cluster waiting', async () => {
    const { manager, hub } = await start(['c1', 'c2']);
    await using _ = manager;
    await setAvailable(manager, 'c1', 'Unknown');
    await hub.select('p', ['c1', 'c2']);
    await hub.create(progressive({ maxConcurrency: 1 }));
    expect(await clustersOf(hub)).toEqual(['c1', 'c2']);
    await hub.report('c2', succeeded);
    const { conditions, messages } = await hub.status();
    expect(conditions).toMatchObject({
      PlacementRolledOut: 'False Progressing',
      ClustersFailed: 'True ClustersUnreachable',
    });
    expect(messages).toBe('1 cluster cannot be reached: c1.');

    await setAvailable(manager, 'c1', 'True');
    await hub.report('c1', succeeded);
    expect((await hub.status()).conditions).toMatchObject({
      PlacementRolledOut: 'True Complete',
      ClustersFailed: 'False NoClusterFailed',
    });
  });

  it('after it got the template has failed, until it reports that it has not', async () => {
    const { manager, hub } = await start(['c1', 'c2']);
    await using _ = manager;
    await hub.select('p', ['c1', 'c2']);
    await hub.create(progressive({ maxConcurrency: 1 }));
    await manager.pass(60_000);
    await setAvailable(manager, 'c1', 'Unknown');
    expect(await clustersOf(hub)).toEqual(['c1']);
    const { conditions, messages } = await hub.status();
    expect(conditions).toMatchObject({ ClustersFailed: 'True MaxFailuresExceeded' });
    expect(messages).toContain(
      'c1: it was given the template, and has not reported to the hub since 2026-01-01T00:01:00Z',
    );

    await setAvailable(manager, 'c1', 'True');
    await hub.report('c1', succeeded);
    expect(await clustersOf(hub)).toEqual(['c1', 'c2']);
  });

  it('after it got the template still counts when its placement drops it', async () => {
    const { manager, hub } = await start(['c1', 'c2', 'c3']);
    await using _ = manager;
    await hub.select('p', ['c1', 'c2', 'c3']);
    await hub.create(progressive({ maxConcurrency: 1 }));
    // Only the agent of c1 could take it away.
    const body = { metadata: { finalizers: [Finalizer.ManifestWorkCleanup] } };
    await hub.works.patch('c1/web', { type: 'merge', body });
    await manager.pass(60_000);
    await setAvailable(manager, 'c1', 'Unknown');
    await hub.select('p', ['c2', 'c3']);
    expect(await clustersOf(hub)).toEqual(['c1']);
    expect((await hub.works.get('c1/web')).metadata?.deletionTimestamp).toBeDefined();
    expect((await hub.status()).conditions).toMatchObject({ ClustersFailed: 'True MaxFailuresExceeded' });

    await hub.works.patch('c1/web', { type: 'merge', body: { metadata: { finalizers: null } } });
    await manager.quiet();
    expect(await clustersOf(hub)).toEqual(['c2']);
  });

  it('counts also for a manager that has just started and knows works before clusters', async () => {
    const { manager, hub } = await start(['c1', 'c2', 'c3']);
    await using _ = manager;
    await hub.select('p', ['c1', 'c2', 'c3']);
    await hub.create(progressive({ maxConcurrency: 1 }));
    const body = { metadata: { finalizers: [Finalizer.ManifestWorkCleanup] } };
    await hub.works.patch('c1/web', { type: 'merge', body });
    await manager.pass(60_000);
    await setAvailable(manager, 'c1', 'Unknown');
    const release = manager.withhold('/managedclusters');
    await manager.restart();
    await hub.select('p', ['c2', 'c3']);
    expect(await clustersOf(hub)).toEqual(['c1']);
    await release();
    expect(await clustersOf(hub)).toEqual(['c1']);
    expect((await hub.status()).conditions).toMatchObject({ ClustersFailed: 'True MaxFailuresExceeded' });
  });

  it.each(['NotFound', 'Forbidden'] as const)(
    'counts also when reading clusters gives %s for a moment at the start',
    async (code) => {
      const { manager, hub } = await start(['c1', 'c2', 'c3']);
      await using _ = manager;
      await hub.select('p', ['c1', 'c2', 'c3']);
      await hub.create(progressive({ maxConcurrency: 1 }));
      const body = { metadata: { finalizers: [Finalizer.ManifestWorkCleanup] } };
      await hub.works.patch('c1/web', { type: 'merge', body });
      await manager.pass(60_000);
      await setAvailable(manager, 'c1', 'Unknown');
      manager.failReads('/managedclusters', code);
      await manager.restart();
      await hub.select('p', ['c2', 'c3']);
      await manager.pass(5_000);
      manager.failReads(undefined);
      await manager.pass(60_000);
      expect(await clustersOf(hub)).toEqual(['c1']);
      expect((await hub.status()).conditions).toMatchObject({ ClustersFailed: 'True MaxFailuresExceeded' });
    },
  );

  it('before it stayed successful for as long as it must has failed', async () => {
    const { manager, hub } = await start(['c1', 'c2']);
    await using _ = manager;
    await hub.select('p', ['c1', 'c2']);
    await hub.create(progressive({ maxConcurrency: 1, minSuccessTime: '10m' }));
    await hub.report('c1', succeeded);
    await manager.pass(360_000);
    await setAvailable(manager, 'c1', 'Unknown');
    await manager.pass(600_000);
    expect(await clustersOf(hub)).toEqual(['c1']);
    expect((await hub.status()).conditions).toMatchObject({ ClustersFailed: 'True MaxFailuresExceeded' });
    await setAvailable(manager, 'c1', 'True');
    expect(await clustersOf(hub)).toEqual(['c1', 'c2']);
  });

  it('after it had succeeded does not stop clusters that come later', async () => {
    const { manager, hub } = await start(['c1', 'c2']);
    await using _ = manager;
    await hub.select('p', ['c1']);
    await hub.create(progressive({ maxConcurrency: 1 }));
    await hub.report('c1', succeeded);
    const body = { metadata: { finalizers: [Finalizer.ManifestWorkCleanup] } };
    await hub.works.patch('c1/web', { type: 'merge', body });
    await manager.pass(60_000);
    await setAvailable(manager, 'c1', 'Unknown');
    await hub.select('p', ['c2']);
    expect(await clustersOf(hub)).toEqual(['c1', 'c2']);
  });
});

describe('decisions that are missing', () => {
  it('remove nothing, are reported with the placement and both numbers, and are done with when they are back', async () => {
    const { manager, hub } = await start(['c1', 'c2', 'c3']);
    await using _ = manager;
    await hub.select('p', ['c1', 'c2', 'c3']);
    await hub.create({});
    await manager.plane.client.resource(placementDecisions).delete('ns/p-decision-1');
    await manager.quiet();
    expect(await clustersOf(hub)).toEqual(['c1', 'c2', 'c3']);
    // A scheduler between two writes is not worth a condition.
    expect((await hub.status()).conditions).not.toHaveProperty('RemovalHeld');
    await manager.pass(5000);
    const { conditions, messages } = await hub.status();
    expect(conditions).toMatchObject({ RemovalHeld: 'True DecisionsMissing' });
    expect(messages).toContain('Placement p: its decisions name 0 clusters, its status 3. 3 works are kept');

    const { resourceVersion } = (await hub.sets.get('ns/web')).metadata ?? {};
    await manager.restart();
    await manager.pass(60_000);
    expect((await hub.sets.get('ns/web')).metadata).toMatchObject({ resourceVersion });

    await hub.select('p', ['c1', 'c2']);
    expect(await clustersOf(hub)).toEqual(['c1', 'c2']);
    expect((await hub.status()).conditions).toMatchObject({ RemovalHeld: 'False NoRemovalHeld' });
  });

  it('are not reported any more when their placement is deleted, and the works go with the placementRef', async () => {
    const { manager, hub } = await start(['c1']);
    await using _ = manager;
    await hub.select('p', ['c1']);
    await hub.select('q');
    await hub.create({});
    await manager.plane.client.resource(placementDecisions).delete('ns/p-decision-1');
    await manager.pass(5000);
    const { conditions, messages } = await hub.status();
    expect(conditions).toMatchObject({ RemovalHeld: 'True DecisionsMissing' });
    expect(messages).toContain('remove the placementRef from the replica set to remove them');

    await manager.plane.client.resource(placements).delete('ns/p');
    await manager.quiet();
    expect((await hub.status()).conditions).toMatchObject({
      PlacementVerified: 'False PlacementDecisionNotFound',
      RemovalHeld: 'False NoRemovalHeld',
    });
    expect(await clustersOf(hub)).toEqual(['c1']);
    await hub.change({ placementRefs: [{ name: 'q' }] });
    expect(await clustersOf(hub)).toEqual([]);
  });

  it('remove nothing of a placement that was deleted and created anew, until a scheduler has looked at it', async () => {
    const { manager, hub } = await start(['c1', 'c2']);
    await using _ = manager;
    await hub.select('p', ['c1', 'c2']);
    await hub.create({});
    const { client } = manager.plane;
    await client.resource(placements).delete('ns/p');
    await client.resource(placementDecisions).delete('ns/p-decision-1');
    await client.resource(placements).create({ metadata: { namespace: 'ns', name: 'p' }, spec: {} });
    await manager.pass(5000);
    expect(await clustersOf(hub)).toEqual(['c1', 'c2']);
    expect((await hub.status()).messages).toContain('no scheduler has written its status');
    await hub.select('p', ['c2']);
    expect(await clustersOf(hub)).toEqual(['c2']);
  });

  it('of a placement whose scheduling is disabled are what others decided', async () => {
    const { manager, hub } = await start(['c1', 'c2']);
    await using _ = manager;
    await hub.select('p', ['c1', 'c2']);
    const annotations = { [Annotation.SchedulingDisabled]: 'true' };
    await manager.plane.client
      .resource(placements)
      .patch('ns/p', { type: 'merge', body: { metadata: { annotations } } });
    await hub.create({});
    await manager.plane.client.resource(placementDecisions).delete('ns/p-decision-1');
    await manager.quiet();
    expect(await clustersOf(hub)).toEqual([]);
  });
});

it('labels of a replica set are passed on to works at any time', async () => {
  const { manager, hub } = await start(['c1']);
  await using _ = manager;
  await hub.select('p', ['c1']);
  await hub.create({});
  await hub.report('c1', succeeded);
  await hub.sets.patch('ns/web', { type: 'merge', body: { metadata: { labels: { team: 'shop' } } } });
  await manager.quiet();
  const [work] = (await hub.works.list()).items;
  expect(work?.metadata?.labels).toMatchObject({ team: 'shop', [Label.ManifestWorkReplicaSet]: 'ns.web' });
  expect(work?.metadata?.generation).toBe(1);
});
