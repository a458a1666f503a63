import { Label, type ManagedCluster, type ManagedClusterSet } from '@flotilla/api-types';
import { beforeEach, describe, expect, it } from 'vitest';
import { newPlacement, newScore, now } from '../fixtures/objects.ts';
import { PlacementEngine } from './engine.ts';

const exclusive = (name: string): ManagedClusterSet => ({ metadata: { name }, spec: {} });
const byLabels = (name: string, matchLabels: Readonly<Record<string, string>>): ManagedClusterSet => ({
  metadata: { name },
  spec: { clusterSelector: { selectorType: 'LabelSelector', labelSelector: { matchLabels } } },
});
const cluster = (name: string, labels: Readonly<Record<string, string>> = {}): ManagedCluster => ({
  metadata: { name, labels },
});
const inSet = (name: string, set: string) => cluster(name, { [Label.ClusterSet]: set });
const scoresOf = (resourceName: string) => ({
  numberOfClusters: 1,
  prioritizerPolicy: {
    mode: 'Exact' as const,
    configurations: [
      { scoreCoordinate: { type: 'AddOn' as const, addOn: { resourceName, scoreName: 'load' } }, weight: 1 },
    ],
  },
});

describe('an engine asks for the placements again that a change concerns', () => {
  let dirty: Set<string>;
  let engine: PlacementEngine;
  beforeEach(() => {
    dirty = new Set();
    engine = new PlacementEngine({ now, onDirty: (key) => dirty.add(key) });
  });
  const place = (namespace: string, name: string, spec = {}) => {
    engine.setPlacement({ metadata: { namespace, name }, spec });
    engine.schedule(`${namespace}/${name}`);
  };
  const bind = (namespace: string, ...sets: readonly string[]) => {
    for (const set of sets) engine.setBinding(namespace, set);
  };
  /** What a change asks for; all placements are scheduled before. */
  const asked = (change: () => void): string[] => {
    for (const key of ['ns1/p1', 'ns1/p2', 'ns2/p2', 'ns2/p3', 'ns3/p3']) engine.schedule(key);
    dirty.clear();
    change();
    return [...dirty].sort();
  };

  it('once, however many clusters change, until they are scheduled', () => {
    const events: string[] = [];
    engine = new PlacementEngine({ now, onDirty: (key) => events.push(key) });
    engine.setSet(byLabels('global', {}));
    bind('ns1', 'global');
    place('ns1', 'p1');
    events.length = 0;
    for (const name of ['c1', 'c2', 'c3']) engine.setCluster(cluster(name));
    expect(events).toEqual(['ns1/p1']);
    expect(engine.schedule('ns1/p1')?.selected).toEqual(['c1', 'c2', 'c3']);
    engine.deleteCluster('c2');
    expect(events).toEqual(['ns1/p1', 'ns1/p1']);
  });

  it('[placement 15.8-152] for a set: those that take it', () => {
    for (const set of ['set1', 'set2']) engine.setSet(exclusive(set));
    engine.setCluster(cluster('c1', { env: 'prod' }));
    bind('ns1', 'set1', 'set2');
    place('ns1', 'p1');
    place('ns1', 'p2', { clusterSets: ['set2'] });
    const events = asked(() => engine.setSet(byLabels('set1', { env: 'prod' })));
    expect(events).toContain('ns1/p1');
    expect(engine.schedule('ns1/p1')?.selected).toEqual(['c1']);
    expect(engine.schedule('ns1/p2')?.selected).toEqual([]);
  });

  it('[placement 15.8-153] for a binding: those of its namespace', () => {
    engine.setSet(exclusive('set1'));
    engine.setSet(exclusive('set2'));
    bind('ns1', 'set2');
    bind('ns2', 'set1');
    place('ns1', 'p1');
    place('ns2', 'p3', { clusterSets: ['set1'] });
    expect(asked(() => engine.setBinding('ns1', 'set1'))).toEqual(['ns1/p1']);
  });

  it('[placement 15.8-154] for a new or deleted cluster: those of all sets that it is in', () => {
    engine.setSet(byLabels('global', {}));
    engine.setSet(byLabels('set1', { cloud: 'Amazon' }));
    engine.setSet(exclusive('set2'));
    bind('ns1', 'global');
    bind('ns2', 'set1');
    bind('ns3', 'set2');
    for (const [namespace, name] of [
      ['ns1', 'p1'],
      ['ns2', 'p2'],
      ['ns3', 'p3'],
    ] as const)
      place(namespace, name);
    const all = ['ns1/p1', 'ns2/p2', 'ns3/p3'];
    const c1 = cluster('c1', { cloud: 'Amazon', [Label.ClusterSet]: 'set2' });
    expect(asked(() => engine.setCluster(c1))).toEqual(all);
    expect(asked(() => engine.deleteCluster('c1'))).toEqual(all);
  });

  it('[placement 15.8-155, 15.8-156] for other labels: those of the sets that the cluster left or came to', () => {
    engine.setSet(byLabels('amazon', { cloud: 'Amazon' }));
    for (const set of ['set1', 'set2']) engine.setSet(exclusive(set));
    bind('ns1', 'amazon');
    bind('ns2', 'set1');
    bind('ns3', 'set2');
    engine.setCluster(cluster('c1', { cloud: 'Amazon', [Label.ClusterSet]: 'set1' }));
    for (const [namespace, name] of [
      ['ns1', 'p1'],
      ['ns2', 'p2'],
      ['ns3', 'p3'],
    ] as const)
      place(namespace, name);
    expect(asked(() => engine.setCluster(inSet('c1', 'set1')))).toEqual(['ns1/p1']);
    expect(asked(() => engine.setCluster(inSet('c1', 'set2')))).toEqual(['ns2/p2', 'ns3/p3']);
  });

  it('[placement 15.8-157] for a cluster of a set that is not there: none', () => {
    engine.setSet(exclusive('set1'));
    bind('ns1', 'set1');
    place('ns1', 'p1');
    expect(asked(() => engine.setCluster(inSet('c1', 'missing')))).toEqual([]);
  });

  it('[placement 15.8-158] for a score: those that rank the cluster by it', () => {
    engine.setSet(byLabels('global', {}));
    engine.setSet(exclusive('other'));
    engine.setCluster(cluster('c1'));
    bind('ns1', 'global');
    bind('ns2', 'global');
    bind('ns3', 'global');
    place('ns1', 'p1', scoresOf('score1'));
    place('ns2', 'p2', scoresOf('score2'));
    place('ns3', 'p3', scoresOf('score1'));
    const report = (value: number) => () => engine.setScore(newScore('c1', { load: value }, undefined, 'score1'));
    expect(asked(report(1))).toEqual(['ns1/p1', 'ns3/p3']);
    expect(asked(report(1)), 'the same again').toEqual([]);
    engine.deleteBinding('ns1', 'global');
    bind('ns1', 'other');
    expect(asked(report(2))).toEqual(['ns3/p3']);
    expect(asked(() => engine.deleteScore('c1', 'score1'))).toEqual(['ns3/p3']);
  });

  it('for a heartbeat: none', () => {
    engine.setSet(byLabels('global', {}));
    bind('ns1', 'global');
    engine.setCluster(cluster('c1'));
    place('ns1', 'p1', { numberOfClusters: 1 });
    const conditions = [
      { type: 'ManagedClusterConditionAvailable', status: 'True' as const, reason: 'r', message: 'm' },
    ];
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const status = { conditions: conditions.map((condition) => ({ ...condition, lastTransitionTime })) };
    expect(asked(() => engine.setCluster({ ...cluster('c1'), status }))).toEqual([]);
  });
});

describe('an engine follows sets and bindings', () => {
  const start = () => {
    const engine = new PlacementEngine({ now, onDirty: () => {} });
    for (const name of ['s1', 's2']) {
      engine.setSet(exclusive(name));
      engine.setBinding('ns', name);
    }
    for (const name of ['a1', 'a2']) engine.setCluster(inSet(name, 's1'));
    for (const name of ['b1', 'b2', 'b3']) engine.setCluster(inSet(name, 's2'));
    return engine;
  };
  const selected = (engine: PlacementEngine, spec: Parameters<typeof newPlacement>[0]) => {
    engine.setPlacement(newPlacement(spec));
    return engine.schedule('ns/p');
  };

  it('[placement 15.7-150] takes fewer clusters when the placement names fewer sets', () => {
    const engine = start();
    expect(selected(engine, { clusterSets: ['s1', 's2'] })?.selected).toHaveLength(5);
    expect(selected(engine, { clusterSets: ['s1'] })?.selected).toEqual(['a1', 'a2']);
  });

  it('[placement 15.2-32] leaves out a bound set that is gone', () => {
    const engine = start();
    engine.deleteSet('s2');
    expect(selected(engine, { clusterSets: ['s1', 's2'] })).toMatchObject({
      eligibleSets: ['s1'],
      selected: ['a1', 'a2'],
    });
  });

  it('[placement 15.7-145] is satisfied by another set and its clusters', () => {
    const engine = start();
    expect(selected(engine, { numberOfClusters: 6 })).toMatchObject({ unscheduled: 1 });
    engine.setSet(byLabels('global', {}));
    engine.setBinding('ns', 'global');
    for (const name of ['u1', 'u2']) engine.setCluster(cluster(name));
    const { selected: names, unscheduled } = engine.schedule('ns/p') ?? {};
    expect({ count: names?.length, unscheduled }).toEqual({ count: 6, unscheduled: 0 });
  });

  it('[placement 15.6-120] keeps the order of names whatever sortBy says', () => {
    const engine = start();
    engine.setScore(newScore('b3', { load: 50 }, undefined, 'demo'));
    const spec = { ...scoresOf('demo'), numberOfClusters: 3, sortBy: 'Score' as const };
    expect(selected(engine, spec)?.selected).toEqual(['a1', 'a2', 'b3']);
  });

  it('[placement 15.7-129] cuts groups again as clusters come and go', () => {
    const engine = start();
    const isCanary = (name: string) => engine.setCluster(cluster(name, { [Label.ClusterSet]: 's1', canary: 'yes' }));
    for (const name of ['a1', 'a2']) isCanary(name);
    const groupClusterSelector = { labelSelector: { matchLabels: { canary: 'yes' } } };
    const decisionGroups = [{ groupName: 'canary', groupClusterSelector }];
    engine.setPlacement(
      newPlacement({ decisionStrategy: { groupStrategy: { clustersPerDecisionGroup: 2, decisionGroups } } }),
    );
    const sizes = () => engine.schedule('ns/p')?.decisions?.groups.map(({ clusterCount }) => clusterCount);
    expect(sizes()).toEqual([2, 2, 1]);
    for (const name of ['a2', 'b3']) engine.deleteCluster(name);
    expect(sizes()).toEqual([1, 2]);
    isCanary('a3');
    expect(sizes()).toEqual([2, 2]);
    engine.setCluster(inSet('b4', 's2'));
    expect(sizes()).toEqual([2, 2, 1]);
    for (const name of ['a1', 'a3', 'b1', 'b2', 'b4']) engine.deleteCluster(name);
    expect(sizes()).toEqual([0]);
  });
});
