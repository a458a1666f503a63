import type { PlacementSpec } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import { type FleetInput, newScore, now, scheduled, traced } from '../fixtures/objects.ts';

type Configurations = NonNullable<NonNullable<PlacementSpec['prioritizerPolicy']>['configurations']>;
const builtIn = (name: string, weight = 1): Configurations[number] => ({
  scoreCoordinate: { type: 'BuiltIn', builtIn: name },
  weight,
});
const addOn = (resourceName: string, scoreName: string, weight = 1): Configurations[number] => ({
  scoreCoordinate: { type: 'AddOn', addOn: { resourceName, scoreName } },
  weight,
});
const exact = (...configurations: Configurations): PlacementSpec => ({
  prioritizerPolicy: { mode: 'Exact', configurations },
});
const additive = (...configurations: Configurations): PlacementSpec => ({
  prioritizerPolicy: { mode: 'Additive', configurations },
});

/** Clusters c1, c2, … with these resources. */
const withResources = (...resources: readonly Readonly<Record<string, string>>[]): FleetInput['clusters'] =>
  Object.fromEntries(resources.map((each, index) => [`c${index + 1}`, { resources: each }]));
const memory = (...amounts: readonly number[]) => withResources(...amounts.map((each) => ({ memory: `${each}` })));
const cpu = (...amounts: readonly number[]) => withResources(...amounts.map((each) => ({ cpu: `${each}` })));
const three = { c1: {}, c2: {}, c3: {} };

const scoresOf = (fleet: FleetInput, spec: PlacementSpec): (number | undefined)[] => {
  const { prioritizers, filters } = traced(fleet, spec);
  return (filters.at(-1)?.clusters ?? []).map((name) => prioritizers[0]?.scores[name]);
};

describe('scores', () => {
  it.each<[string, FleetInput, PlacementSpec, (number | undefined)[]]>([
    ['[placement 15.5-78]', { clusters: three }, exact(builtIn('Balance')), [100, 100, 100]],
    ['[placement 15.5-79]', { clusters: three, own: [['c1']] }, exact(builtIn('Balance')), [100, 100, 100]],
    ['[placement 15.5-80]', { clusters: three, others: [['c1']] }, exact(builtIn('Balance')), [-100, 100, 100]],
    [
      '[placement 15.5-81]',
      {
        clusters: three,
        others: [
          ['c1', 'c2'],
          ['c1', 'c3'],
        ],
      },
      exact(builtIn('Balance')),
      [-100, 0, 0],
    ],
    [
      '[placement 15.5-82]',
      {
        clusters: three,
        others: [
          ['c2', 'c3'],
          ['c1', 'c2'],
        ],
        own: [['c3']],
      },
      exact(builtIn('Balance')),
      [0, -100, 0],
    ],
    [
      '[placement 15.5-83]',
      { clusters: three, others: [['c1', 'c2', 'c3'], ['c2', 'c3'], ['c3']] },
      exact(builtIn('Balance')),
      [32, -32, -100],
    ],
    [
      '[placement 15.5-84]',
      { clusters: three, others: [['c2', 'c3', 'x'], ['c3', 'x'], ['c3', 'x'], ['x'], ['x'], ['x'], ['x']] },
      exact(builtIn('Balance')),
      [100, 70, 14],
    ],
    ['[placement 15.5-85]', { clusters: three }, exact(builtIn('Steady')), [0, 0, 0]],
    ['[placement 15.5-85]', { clusters: three, own: [['c1'], ['c3']] }, exact(builtIn('Steady')), [100, 0, 100]],
    [
      '[placement 15.5-86]',
      { clusters: memory(20, 60, 100) },
      exact(builtIn('ResourceAllocatableMemory')),
      [-100, 0, 100],
    ],
    [
      '[placement 15.5-87]',
      { clusters: memory(50, 50, 50) },
      exact(builtIn('ResourceAllocatableMemory')),
      [100, 100, 100],
    ],
    [
      '[placement 15.5-87]',
      { clusters: memory(0, 0, 0) },
      exact(builtIn('ResourceAllocatableMemory')),
      [100, 100, 100],
    ],
    [
      '[placement 15.5-88]',
      { clusters: three },
      exact(builtIn('ResourceAllocatableMemory')),
      [undefined, undefined, undefined],
    ],
    ['[placement 15.5-89]', { clusters: cpu(10, 6, 2) }, exact(builtIn('ResourceAllocatableCPU')), [100, 0, -100]],
    ['[placement 15.5-90]', { clusters: cpu(10, 7, 9) }, exact(builtIn('ResourceAllocatableCPU')), [100, -100, 33]],
    [
      '[placement 15.5-91]',
      { clusters: memory(50, 90, 80) },
      exact(builtIn('ResourceAllocatableMemory')),
      [-100, 100, 50],
    ],
    [
      '[placement 15.5-92]',
      { clusters: memory(50, 90, 80, 100) },
      exact(builtIn('ResourceAllocatableMemory')),
      [-100, 60, 19, 100],
    ],
    [
      '[placement 15.5-93]',
      { clusters: { ...cpu(1, 9, 3), c2: { resources: { cpu: '9' }, capacity: {} } } },
      exact(builtIn('ResourceAllocatableCPU')),
      [-100, undefined, 100],
    ],
    ['[placement 15.5-94]', { clusters: three }, exact(addOn('demo', 'score1')), [0, 0, 0]],
    [
      '[placement 15.5-95]',
      { clusters: three, scores: [newScore('c1', { score1: 30 })] },
      exact(addOn('demo', 'score1')),
      [30, 0, 0],
    ],
    [
      '[placement 15.5-97]',
      { clusters: three, scores: [newScore('c1', { score1: 30 }, new Date(now).toISOString())] },
      exact(addOn('demo', 'score1')),
      [30, 0, 0],
    ],
  ])('%s of %j by %j', (_, fleet, spec, expected) => {
    expect(scoresOf(fleet, spec)).toEqual(expected);
  });

  it('[placement 15.5-96] of an expired object are 0, with a warning', () => {
    const scores = [
      newScore('c1', { score1: 30 }, new Date(now - 1).toISOString(), 'test'),
      newScore('c2', { score1: 40 }, undefined, 'test'),
      newScore('c3', { score1: 50 }, undefined, 'test'),
    ];
    const spec = exact(addOn('test', 'score1'));
    expect(scoresOf({ clusters: three, scores }, spec)).toEqual([0, 40, 50]);
    expect(scheduled({ clusters: three, scores }, { ...spec, numberOfClusters: 1 }).status).toEqual({
      code: 'Warning',
      plugin: 'AddOn/test/score1',
      reasons: ['AddOnPlacementScores c1/test expired'],
    });
  });
});

describe('selection', () => {
  const byMemory = memory(100, 50, 0);
  const demo = [newScore('c1', { demo: 30 }), newScore('c2', { demo: 40 }), newScore('c3', { demo: 50 })];
  const mixed = withResources({ cpu: '10', memory: '50' }, { cpu: '7', memory: '90' }, { cpu: '9', memory: '80' });
  const four = { ...mixed, c4: { resources: { cpu: '10', memory: '100' } } };
  const both = [builtIn('ResourceAllocatableCPU'), builtIn('ResourceAllocatableMemory')];

  it.each<[string, FleetInput, PlacementSpec, readonly number[], readonly string[], number]>([
    ['[placement 15.6-99]', { clusters: { c1: {} } }, {}, [100], ['c1'], 0],
    ['[placement 15.6-100]', { clusters: { c1: {} } }, { numberOfClusters: 3 }, [100], ['c1'], 2],
    [
      '[placement 15.6-101]',
      { clusters: three, own: [['c1', 'c2']] },
      { numberOfClusters: 2 },
      [200, 200, 100],
      ['c1', 'c2'],
      0,
    ],
    [
      '[placement 15.6-102]',
      { clusters: { c1: {}, c2: {} }, own: [['c1']] },
      { numberOfClusters: 4 },
      [200, 100],
      ['c1', 'c2'],
      2,
    ],
    [
      '[placement 15.6-103]',
      { clusters: byMemory, scores: demo },
      {
        ...additive(builtIn('Balance', 3), builtIn('ResourceAllocatableMemory'), addOn('demo', 'demo')),
        numberOfClusters: 2,
      },
      [430, 340, 250],
      ['c1', 'c2'],
      0,
    ],
    [
      '[placement 15.6-104]',
      { clusters: byMemory },
      { ...exact(builtIn('Balance', 3), builtIn('ResourceAllocatableMemory')), numberOfClusters: 2 },
      [400, 300, 200],
      ['c1', 'c2'],
      0,
    ],
    [
      '[placement 15.6-105]',
      { clusters: three, others: [['c1', 'c2']] },
      { numberOfClusters: 1 },
      [-100, -100, 100],
      ['c3'],
      0,
    ],
    [
      '[placement 15.6-106]',
      {
        clusters: three,
        others: [
          ['c2', 'c3'],
          ['c1', 'c2'],
        ],
        own: [['c3']],
      },
      { numberOfClusters: 1 },
      [0, -100, 100],
      ['c3'],
      0,
    ],
    ['[placement 15.6-108]', { clusters: mixed }, { numberOfClusters: 2 }, [100, 100, 100], ['c1', 'c2'], 0],
    [
      '[placement 15.6-109]',
      { clusters: mixed },
      { ...exact(...both), numberOfClusters: 2 },
      [0, 0, 83],
      ['c1', 'c3'],
      0,
    ],
    [
      '[placement 15.6-110]',
      { clusters: four },
      { ...exact(...both), numberOfClusters: 2 },
      [0, -40, 52, 200],
      ['c3', 'c4'],
      0,
    ],
    [
      '[placement 15.6-111]',
      { clusters: four, own: [['c1', 'c3']], others: [['c2']] },
      { ...additive(builtIn('Steady', 3), ...both), numberOfClusters: 2 },
      [400, -140, 452, 300],
      ['c1', 'c3'],
      0,
    ],
    [
      '[placement 15.6-112]',
      { clusters: mixed, others: [['c1']] },
      { ...exact(builtIn('Balance', 2), builtIn('ResourceAllocatableCPU')), numberOfClusters: 2 },
      [-100, 100, 233],
      ['c2', 'c3'],
      0,
    ],
    [
      '[placement 15.6-114]',
      { clusters: three },
      { ...exact(addOn('demo', 'demo')), numberOfClusters: 2 },
      [0, 0, 0],
      ['c1', 'c2'],
      0,
    ],
    [
      '[placement 15.6-115]',
      { clusters: cpu(10, 6, 2) },
      { ...exact(builtIn('ResourceAllocatableCPU', -1)), numberOfClusters: 1 },
      [-100, 0, 100],
      ['c3'],
      0,
    ],
    [
      '[placement 15.6-118]',
      { clusters: { c1: {} }, scores: [newScore('c1', { demo: 50 })] },
      exact(addOn('demo', 'demo'), addOn('demo', 'demo')),
      [100],
      ['c1'],
      0,
    ],
  ])('%s from %j by %j', (_, fleet, spec, totals, selected, unscheduled) => {
    const trace = traced(fleet, spec);
    const byCluster = new Map(trace.totals.map(({ cluster, total }) => [cluster, total]));
    expect([...byCluster.keys()].sort().map((name) => byCluster.get(name))).toEqual(totals);
    expect(trace.result).toMatchObject({ selected, unscheduled });
  });

  it('[placement 15.6-107] counts filters one after the other', () => {
    const clusters = {
      c1: { taints: [{ key: 'key1', value: 'value1', effect: 'NoSelect' as const }] },
      c2: { taints: [{ key: 'key2', value: 'value2', effect: 'NoSelect' as const }] },
      c3: {},
    };
    const tolerations = [{ key: 'key1', operator: 'Equal', value: 'value1' }];
    const { filters, result } = traced({ clusters }, { numberOfClusters: 3, tolerations });
    expect(filters).toEqual([
      { name: 'Predicate', clusters: ['c1', 'c2', 'c3'] },
      { name: 'Predicate,TaintToleration', clusters: ['c1', 'c3'] },
    ]);
    expect(result).toMatchObject({ selected: ['c1', 'c3'], unscheduled: 1 });
  });

  it.each([
    ['[placement 15.6-116]', exact(builtIn('Spread')), 'incorrect builtin prioritizer: Spread'],
    ['[placement 15.6-117]', { prioritizerPolicy: { mode: 'Foo' } }, 'incorrect prioritizer policy mode: Foo'],
    ['weakness 20', { numberOfClusters: -1 }, 'numberOfClusters must be greater than or equal to 0, not -1'],
  ])('%s refuses %j', (_, spec, message) => {
    expect(scheduled({ clusters: three }, spec).status).toEqual({
      code: 'Misconfigured',
      plugin: '',
      reasons: [message],
    });
  });
});

describe('spread', () => {
  const at = (region: string, zone: string, cpus: string) => ({ labels: { region, zone }, resources: { cpu: cpus } });
  const clusters = {
    c1: at('east', '1a', '8'),
    c2: at('east', '1a', '8'),
    c3: at('east', '1b', '4'),
    c4: at('west', 'w1', '4'),
    c5: at('west', 'w1', '8'),
  };
  const constraint = (topologyKey: string) => ({
    topologyKey,
    topologyKeyType: 'Label' as const,
    maxSkew: 1,
    whenUnsatisfiable: 'DoNotSchedule' as const,
  });
  const spec = {
    ...exact(builtIn('ResourceAllocatableCPU')),
    spreadPolicy: { spreadConstraints: [constraint('region'), constraint('zone')] },
  };

  it('[placement 15.6-119] changes nothing without its gate', () => {
    expect(scheduled({ clusters }, { ...spec, numberOfClusters: 2 }).selected).toEqual(['c1', 'c2']);
  });

  it('evens out regions first, with its gate', () => {
    const gates = { spread: true };
    expect(scheduled({ clusters, gates }, { ...spec, numberOfClusters: 2 }).selected).toEqual(['c1', 'c5']);
  });

  it('selects fewer rather than break a strict constraint', () => {
    const east = at('east', '1a', '8');
    const uneven = { c1: east, c2: east, c3: east, c4: at('west', 'w1', '4') };
    const byRegion = { ...spec, spreadPolicy: { spreadConstraints: [constraint('region')] } };
    const fleet = { clusters: uneven, gates: { spread: true } };
    expect(scheduled(fleet, { ...byRegion, numberOfClusters: 4 })).toMatchObject({
      selected: ['c1', 'c2', 'c4'],
      unscheduled: 1,
    });
    expect(scheduled(fleet, byRegion)).toMatchObject({ selected: ['c1', 'c2', 'c4'], unscheduled: 0 });
  });
});
