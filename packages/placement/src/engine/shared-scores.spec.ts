import { expect, test } from 'vitest';
import { clusterView } from '../scheduler/cluster-view.ts';
import { BitSet } from './bit-set.ts';
import { ClusterTable } from './cluster-table.ts';
import { ScoreTable } from './score-table.ts';
import { SharedScores } from './shared-scores.ts';

const cluster = (name: string, cpu = '1') =>
  clusterView({ metadata: { name }, status: { allocatable: { cpu }, capacity: { cpu } } });

/** Two clusters, and the totals of them as they are asked for. */
function fleet() {
  const clusters = new ClusterTable();
  const scores = new ScoreTable(clusters);
  const shared = new SharedScores(clusters);
  clusters.put(cluster('b'));
  clusters.put(cluster('a'));
  const feasible = () => {
    const bits = new BitSet();
    for (const id of clusters.ids) bits.set(id, true);
    return bits;
  };
  let computed = 0;
  const ask = (weight: number, { now = 0, validUntil = Number.POSITIVE_INFINITY } = {}) => {
    const prioritizer = { kind: 'ResourceAllocatableCPU', name: 'ResourceAllocatableCPU', weight } as const;
    shared.totals(shared.idsOf(feasible()), [prioritizer], { clusters, scores, now }, () => {
      computed += 1;
      return { totals: new Float64Array(), status: { code: 'Success', plugin: '', reasons: [] }, validUntil };
    });
    return computed;
  };
  return { clusters, scores, shared, feasible, ask };
}

test('placements with the same feasible clusters get the same list, sorted by name', () => {
  const { clusters, shared, feasible } = fleet();
  const ids = shared.idsOf(feasible());
  expect(clusters.namesOf(ids)).toEqual(['a', 'b']);
  expect(shared.idsOf(feasible())).toBe(ids);
});

test('a cluster that comes or leaves makes another list', () => {
  const { clusters, shared, feasible } = fleet();
  clusters.put(cluster('aa'));
  expect(clusters.namesOf(shared.idsOf(feasible()))).toEqual(['a', 'aa', 'b']);
  clusters.remove(clusters.idOf('a') ?? -1);
  expect(clusters.namesOf(shared.idsOf(feasible()))).toEqual(['aa', 'b']);
});

test('totals are computed once for all placements that weigh alike', () => {
  const { ask } = fleet();
  expect([ask(1), ask(1), ask(2), ask(1)]).toEqual([1, 1, 2, 2]);
});

test('totals by few lists of prioritizers are kept, the newest', () => {
  const { ask } = fleet();
  for (let weight = 1; weight <= 9; weight++) ask(weight);
  expect([ask(9), ask(2), ask(1)]).toEqual([9, 9, 10]);
});

test.each<[string, (one: ReturnType<typeof fleet>) => void]>([
  ['the amount of a cluster', ({ clusters }) => clusters.put(cluster('a', '2'))],
  ['a score', ({ scores }) => scores.put('demo', 'a', { metadata: {}, status: { scores: [{ name: 'x', value: 1 }] } })],
])('totals are computed again after a change of %s', (_, change) => {
  const one = fleet();
  one.ask(1);
  change(one);
  expect([one.ask(1), one.ask(1)]).toEqual([2, 2]);
});

test('totals are computed again when a score that they are made of has ended', () => {
  const { ask } = fleet();
  expect([ask(1, { validUntil: 10 }), ask(1, { now: 10 }), ask(1, { now: 11 })]).toEqual([1, 1, 2]);
});
