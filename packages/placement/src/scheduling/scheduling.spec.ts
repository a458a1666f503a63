import type { ManagedCluster, Placement, PlacementSpec } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import { type ClusterParts, newCluster, newPlacement, newScore } from '../fixtures/objects.ts';
import { handlesOf, type RunningPlacement, startPlacement } from '../fixtures/running-placement.ts';

async function create({ plane }: RunningPlacement, cluster: ManagedCluster): Promise<void> {
  const { clusters } = handlesOf(plane);
  const { status, ...object } = cluster;
  await clusters.create(object);
  await clusters.status.patch(cluster.metadata?.name ?? '', { type: 'merge', body: { status } });
}

async function fleet(running: RunningPlacement, clusters: Readonly<Record<string, ClusterParts>>): Promise<void> {
  for (const [name, parts] of Object.entries(clusters)) await create(running, newCluster(name, parts));
}

const place = async (running: RunningPlacement, spec: PlacementSpec, name = 'p'): Promise<void> => {
  await handlesOf(running.plane).placements.create(newPlacement(spec, name));
  await running.quiet();
};
const change = async (running: RunningPlacement, spec: object, name = 'p'): Promise<void> => {
  await handlesOf(running.plane).placements.patch(`ns/${name}`, { type: 'merge', body: { spec } });
  await running.quiet();
};
const statusOf = async ({ plane }: RunningPlacement, name = 'p') => {
  const { status }: Placement = await handlesOf(plane).placements.get(`ns/${name}`);
  const conditions = (status?.conditions ?? []).map(({ type, status: value, reason, message }) =>
    [type, value, reason, message].join(' / '),
  );
  return { ...status, conditions };
};
const passing = 'PlacementMisconfigured / False / Succeedconfigured / Placement configurations check pass';
const allScheduled = 'PlacementSatisfied / True / AllDecisionsScheduled / All cluster decisions scheduled';
const prod = (parts: ClusterParts = {}): ClusterParts => ({ ...parts, labels: { env: 'prod', ...parts.labels } });
const byEnv = (env: string) => ({
  predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { env } } } }],
});

describe('decisions', () => {
  it('are written with labels, owner, status and conditions, and not again', async () => {
    await using running = await startPlacement();
    await fleet(running, { c1: prod(), c2: {} });
    await place(running, byEnv('prod'));
    const { decisions, placements } = handlesOf(running.plane);
    const { metadata, status } = await decisions.get('ns/p-decision-1');
    const { metadata: owner } = await placements.get('ns/p');
    expect(status).toEqual({ decisions: [{ clusterName: 'c1', reason: '' }] });
    expect(metadata?.ownerReferences).toEqual([
      {
        apiVersion: 'cluster.open-cluster-management.io/v1beta1',
        kind: 'Placement',
        name: 'p',
        uid: owner?.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    expect(await statusOf(running)).toEqual({
      numberOfSelectedClusters: 1,
      decisionGroups: [{ decisionGroupIndex: 0, decisionGroupName: '', decisions: ['p-decision-1'], clusterCount: 1 }],
      conditions: [passing, allScheduled],
    });
    running.takeWrites();
    await running.restart();
    expect(running.takeWrites(), '[placement 15.7-132, 15.7-148]').toEqual([]);
  });

  it('[placement 15.7-133] repair labels without an event, and pages that are missing', async () => {
    await using running = await startPlacement();
    await fleet(running, { c1: {} });
    await place(running, {});
    const { decisions } = handlesOf(running.plane);
    const labels = { 'cluster.open-cluster-management.io/decision-group-name': 'fakegroup', mine: 'x' };
    running.takeWrites();
    await decisions.patch('ns/p-decision-1', { type: 'merge', body: { metadata: { labels } } });
    await running.quiet();
    expect(running.takeWrites()).toEqual(['PATCH namespaces/ns/placementdecisions/p-decision-1']);
    await decisions.delete('ns/p-decision-1');
    await running.quiet();
    expect(await running.decisions(), '[placement 15.7-136]').toEqual({ 1: ['c1'] });
  });

  it('[placement 15.7-134, 15.7-135] lose pages that are not needed any more', async () => {
    await using running = await startPlacement();
    for (let index = 0; index < 101; index++) {
      await create(running, newCluster(`c${String(index).padStart(3, '0')}`, index < 10 ? prod() : {}));
    }
    await place(running, {});
    expect(Object.values(await running.decisions()).map(({ length }) => length)).toEqual([100, 1]);
    running.takeWrites();
    await change(running, byEnv('prod'));
    expect(running.takeWrites()).toEqual([
      'PATCH namespaces/ns/placementdecisions/p-decision-1/status',
      'DELETE namespaces/ns/placementdecisions/p-decision-2',
      'PATCH namespaces/ns/placements/p/status',
    ]);
    await change(running, byEnv('none'));
    expect(await running.decisions()).toEqual({ 1: [] });
  });

  it('[placement 15.7-149] of a disabled placement are left alone', async () => {
    await using running = await startPlacement();
    await fleet(running, { c1: {} });
    const annotations = { 'cluster.open-cluster-management.io/experimental-scheduling-disable': 'true' };
    const placement = newPlacement();
    await handlesOf(running.plane).placements.create({
      ...placement,
      metadata: { ...placement.metadata, annotations },
    });
    await running.quiet();
    expect(running.takeWrites()).toEqual([]);
  });

  it('are written after a failed write, before the status speaks of them (weakness 11)', async () => {
    await using running = await startPlacement();
    await fleet(running, { c1: {} });
    running.failNext('p-decision-1/status');
    await place(running, {});
    await running.pass(1000);
    expect(await running.decisions()).toEqual({ 1: ['c1'] });
    expect((await statusOf(running)).conditions).toEqual([passing, allScheduled]);
  });
});

describe('the fleet', () => {
  it('[placement 15.2-30] loses a cluster that is being deleted, while its finalizers hold it', async () => {
    await using running = await startPlacement();
    const names = ['c1', 'c2', 'c3', 'c4', 'c5'];
    await fleet(running, Object.fromEntries(names.map((name) => [name, {}])));
    await place(running, {});
    const { clusters } = handlesOf(running.plane);
    await clusters.patch('c2', { type: 'merge', body: { metadata: { finalizers: ['example.com/hold'] } } });
    await clusters.delete('c2');
    await running.quiet();
    expect(await clusters.find('c2')).toBeDefined();
    expect(await running.decisions()).toEqual({ 1: ['c1', 'c3', 'c4', 'c5'] });
  });

  it('[placement 15.3-56, 15.7-143, 15.7-144] is followed, and nothing is written for what does not matter', async () => {
    await using running = await startPlacement();
    await fleet(running, { c1: prod(), c2: prod(), c3: {} });
    await place(running, { ...byEnv('prod'), numberOfClusters: 3 });
    expect(await statusOf(running)).toMatchObject({
      numberOfSelectedClusters: 2,
      conditions: [passing, 'PlacementSatisfied / False / NotAllDecisionsScheduled / 1 cluster decisions unscheduled'],
    });
    const { clusters } = handlesOf(running.plane);
    running.takeWrites();
    await clusters.patch('c1', { type: 'merge', body: { metadata: { annotations: { note: 'x' } } } });
    await running.quiet();
    expect(running.takeWrites()).toEqual([]);
    await clusters.patch('c3', { type: 'merge', body: { metadata: { labels: { env: 'prod' } } } });
    await running.quiet();
    expect(await running.decisions()).toEqual({ 1: ['c1', 'c2', 'c3'] });
    expect((await statusOf(running)).conditions).toEqual([passing, allScheduled]);
    await clusters.delete('c2');
    await running.quiet();
    expect(await running.decisions()).toEqual({ 1: ['c1', 'c3'] });
  });

  it('[placement 15.7-139, 15.7-140, 15.7-141, 15.7-142, 15.7-151] explains why nothing is selected', async () => {
    await using running = await startPlacement();
    const { bindings, sets } = handlesOf(running.plane);
    await place(running, {});
    const satisfied = async () => (await statusOf(running)).conditions?.[1];
    expect(await satisfied()).toBe(
      'PlacementSatisfied / False / AllManagedClusterSetsEmpty / All ManagedClusterSets [global] have no member ManagedCluster',
    );
    await create(running, newCluster('c1'));
    await change(running, byEnv('prod'));
    expect(await satisfied()).toBe(
      'PlacementSatisfied / False / NoManagedClusterMatched / No ManagedCluster matches any of the cluster predicate',
    );
    await change(running, { predicates: null, clusterSets: ['clusterset1'] });
    expect(await satisfied()).toBe(
      'PlacementSatisfied / False / NoIntersection / None of ManagedClusterSets [clusterset1] is bound to placement namespace',
    );
    await change(running, { clusterSets: null });
    expect(await running.decisions()).toEqual({ 1: ['c1'] });
    await bindings.delete('ns/global');
    await running.quiet();
    expect(await satisfied()).toBe(
      'PlacementSatisfied / False / NoManagedClusterSetBindings / No valid ManagedClusterSetBindings found in placement namespace',
    );
    expect(await running.decisions()).toEqual({ 1: [] });
    await bindings.create({ metadata: { namespace: 'ns', name: 'global' }, spec: { clusterSet: 'global' } });
    await running.quiet();
    expect(await running.decisions()).toEqual({ 1: ['c1'] });
    await sets.delete('global');
    await running.quiet();
    expect(await running.decisions()).toEqual({ 1: [] });
  });

  it('[placement 15.6-113] changes by scores without a change of the placement, and when they expire (weakness 8)', async () => {
    await using running = await startPlacement();
    await fleet(running, { c1: {}, c2: {}, c3: {} });
    const { scores, namespaces } = handlesOf(running.plane);
    const put = async (cluster: string, value: number, validUntil?: string) => {
      const { metadata, status } = newScore(cluster, { demo: value }, validUntil);
      if (!(await scores.find(`${cluster}/demo`))) await scores.create({ metadata });
      await scores.status.patch(`${cluster}/demo`, { type: 'merge', body: { status } });
    };
    for (const name of ['c1', 'c2', 'c3']) await namespaces.create({ metadata: { name } });
    const inOneMinute = new Date(running.clock.now() + 60_000).toISOString();
    await put('c1', 80);
    await put('c2', 90);
    await put('c3', 100, inOneMinute);
    const addOn = { resourceName: 'demo', scoreName: 'demo' };
    const configurations = [{ scoreCoordinate: { type: 'AddOn' as const, addOn }, weight: 1 }];
    await place(running, { numberOfClusters: 2, prioritizerPolicy: { mode: 'Exact', configurations } });
    expect(await running.decisions()).toEqual({ 1: ['c2', 'c3'] });
    await put('c1', 100);
    await running.quiet();
    expect(await running.decisions()).toEqual({ 1: ['c1', 'c3'] });
    await running.pass(61_000);
    expect(await running.decisions()).toEqual({ 1: ['c1', 'c2'] });
  });

  it('[placement 15.4-75] loses clusters when tolerations end, without any other event', async () => {
    await using running = await startPlacement();
    const timeAdded = new Date(running.clock.now()).toISOString();
    await fleet(running, { c1: { taints: [{ key: 'k', effect: 'NoSelect', timeAdded }] }, c2: {} });
    await place(running, { tolerations: [{ key: 'k', operator: 'Exists', tolerationSeconds: 10 }] });
    expect(await running.decisions()).toEqual({ 1: ['c1', 'c2'] });
    await running.pass(10_000);
    expect(await running.decisions()).toEqual({ 1: ['c2'] });
  });

  it('balances placements that are made at the same time (weakness 18)', async () => {
    await using running = await startPlacement();
    await fleet(running, { c1: {}, c2: {}, c3: {} });
    const { placements } = handlesOf(running.plane);
    await Promise.all(['a', 'b', 'c'].map((name) => placements.create(newPlacement({ numberOfClusters: 1 }, name))));
    await running.quiet();
    const selected = await Promise.all(['a', 'b', 'c'].map((name) => running.decisions(name)));
    expect(selected.flatMap((pages) => pages[1] ?? []).sort()).toEqual(['c1', 'c2', 'c3']);
  });
});

describe('a typo', () => {
  const broken = { celSelector: { celExpressions: ['invalid.expression'] } };

  it('[placement 15.3-45, 15.3-57] keeps the last good decisions and says what is wrong (weakness 12)', async () => {
    await using running = await startPlacement();
    await fleet(running, { c1: prod(), c2: prod() });
    await place(running, byEnv('prod'));
    running.takeWrites();
    await change(running, { predicates: [{ requiredClusterSelector: broken }] });
    expect(running.takeWrites()).toEqual(['PATCH namespaces/ns/placements/p/status']);
    expect(await running.decisions()).toEqual({ 1: ['c1', 'c2'] });
    const { conditions, numberOfSelectedClusters } = await statusOf(running);
    expect(conditions[0]).toMatch(
      /^PlacementMisconfigured \/ True \/ Misconfigured \/ Predicate:compilation failed: .*undeclared reference/,
    );
    expect({ numberOfSelectedClusters, satisfied: conditions[1] }).toEqual({
      numberOfSelectedClusters: 2,
      satisfied: allScheduled,
    });
    // A cluster that leaves the hub leaves the decisions.
    await handlesOf(running.plane).clusters.delete('c1');
    await running.quiet();
    expect(await running.decisions()).toEqual({ 1: ['c2'] });
    await change(running, byEnv('prod'));
    expect((await statusOf(running)).conditions).toEqual([passing, allScheduled]);
  });

  it('[placement 15.7-146] in a new placement selects nothing', async () => {
    await using running = await startPlacement();
    await fleet(running, { c1: {} });
    await place(running, { numberOfClusters: 1, tolerations: [{ key: 'k', operator: 'Exists', value: 'x' }] });
    expect(await running.decisions()).toEqual({ 1: [] });
    expect((await statusOf(running)).conditions[0]).toContain(
      'TaintToleration:If the operator is Exists, the value should be empty.',
    );
    await change(running, { tolerations: null });
    expect(await running.decisions()).toEqual({ 1: ['c1'] });
  });

  it('in a name that is too long for a label is reported (weakness 21)', async () => {
    await using running = await startPlacement();
    const name = 'p'.repeat(64);
    await place(running, {}, name);
    expect((await statusOf(running, name)).conditions[0]).toContain('the name has 64 characters');
  });
});

it('[placement 15.8-160, 15.8-161] reports what changed as events', async () => {
  await using running = await startPlacement();
  await fleet(running, { c1: {} });
  await place(running, {});
  await fleet(running, { c2: {} });
  await running.pass(5000);
  const { items } = await handlesOf(running.plane).events.list({ namespace: 'ns' });
  const notes = items.map(({ type, reason, action, note }) => [type, reason, action, note].join(' / '));
  expect(notes).toEqual(
    expect.arrayContaining([
      'Normal / DecisionCreate / DecisionCreated / Decision p-decision-1 is created with placement p in namespace ns',
      'Normal / DecisionUpdate / DecisionUpdated / Decision p-decision-1 is updated with placement p in namespace ns',
      'Normal / ScoreUpdate / ScoreUpdated / c1:100 ',
      'Normal / ScoreUpdate / ScoreUpdated / c1:200 c2:100 ',
    ]),
  );
});

it('[placement 15.8-169] measures each selection and each writing of decisions', async () => {
  await using running = await startPlacement();
  await fleet(running, { c1: {} });
  await place(running, {});
  const { scheduled, bound } = running.cycles;
  expect({ scheduled, bound }).toEqual({ scheduled: bound, bound: expect.any(Number) });
  await running.restart();
  await running.quiet();
  expect(running.cycles).toEqual({ scheduled: scheduled + 1, bound: bound + 1 });
});

it('writes one page for one more cluster, with the gate stablePaging (weakness 13)', async () => {
  await using running = await startPlacement({ stablePaging: true });
  const names = Array.from({ length: 150 }, (_, index) => `c${String(index + 1).padStart(3, '0')}`);
  await fleet(running, Object.fromEntries(names.map((name) => [name, {}])));
  await place(running, {});
  running.takeWrites();
  await fleet(running, { c000: {} });
  await running.quiet();
  expect(running.takeWrites()).toEqual([
    'PATCH namespaces/ns/placementdecisions/p-decision-2/status',
    'PATCH namespaces/ns/placements/p/status',
  ]);
  const pages = await running.decisions();
  expect(pages[1]).toEqual(names.slice(0, 100));
  expect(pages[2]).toEqual(['c000', ...names.slice(100)]);
});

describe('a clock that is set back', () => {
  const halfHour = 1_800_000;

  it('does not keep placements from following the fleet', async () => {
    await using running = await startPlacement();
    await fleet(running, { c1: {}, c2: {} });
    await place(running, {});
    running.clock.jump(-halfHour);
    for (const name of ['c3', 'c4']) {
      await create(running, newCluster(name));
      await running.quiet();
    }
    expect(await running.decisions()).toEqual({ 1: ['c1', 'c2', 'c3', 'c4'] });
    await handlesOf(running.plane).clusters.delete('c1');
    await running.quiet();
    expect(await running.decisions()).toEqual({ 1: ['c2', 'c3', 'c4'] });
  });

  it('gives back the time of tolerations and scores, and a clock that is set forward ends them', async () => {
    await using running = await startPlacement();
    const taints = [
      { key: 'gone', effect: 'NoSelect' as const, timeAdded: new Date(running.clock.now()).toISOString() },
    ];
    await fleet(running, { c1: { taints }, c2: {} });
    await place(running, { tolerations: [{ key: 'gone', operator: 'Exists', tolerationSeconds: 600 }] });
    const selected = async () => (await running.decisions())[1];
    expect(await selected()).toEqual(['c1', 'c2']);
    running.clock.jump(halfHour);
    await running.pass(60_000);
    expect(await selected()).toEqual(['c2']);
    running.clock.jump(-halfHour);
    await running.pass(60_000);
    expect(await selected()).toEqual(['c1', 'c2']);
    await running.pass(480_000);
    expect(await selected()).toEqual(['c2']);
  });
});
