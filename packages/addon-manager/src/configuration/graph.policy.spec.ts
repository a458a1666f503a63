import { Label, type ManagedClusterAddOn, type PlacementDecision, type RolloutStrategy } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import { adc } from '../fixtures/hub.ts';
import { buildGraph, configurationPlanOf, type GraphInput } from './graph.policy.ts';

const now = Date.parse('2026-01-01T01:00:00Z');
const hash = (specHash: string) => ({ namespace: 'ns', name: 'd', specHash });
type State = 'pending' | 'progressing' | 'succeeded' | 'failed';

const reasons = { pending: 'Completed', progressing: 'Progressing', succeeded: 'Completed', failed: 'Failed' };

/** The add-on of a cluster, in a state since so many seconds; unknown since when if that is undefined. */
const addOn = (cluster: string, state: State, secondsAgo?: number): ManagedClusterAddOn => ({
  metadata: { namespace: cluster, name: 'hello' },
  spec: {},
  status: {
    configReferences: [
      {
        ...adc,
        desiredConfig: hash(state === 'pending' ? 'old' : 'new'),
        lastAppliedConfig: hash(state === 'succeeded' ? 'new' : 'old'),
      },
    ],
    conditions:
      secondsAgo === undefined
        ? []
        : [
            {
              type: 'Progressing',
              status: 'True',
              reason: reasons[state],
              message: '',
              lastTransitionTime: new Date(now - secondsAgo * 1000).toISOString(),
            },
          ],
  },
});

const decision = (index: number, clusters: readonly string[], groupName = ''): PlacementDecision => ({
  metadata: {
    namespace: 'ns',
    name: `p-${index}`,
    labels: { [Label.DecisionGroupIndex]: `${index}`, [Label.DecisionGroupName]: groupName },
  },
  status: { decisions: clusters.map((clusterName) => ({ clusterName, reason: '' })) },
});

const input = (
  strategy: RolloutStrategy,
  decisions: PlacementDecision[],
  addOns: ManagedClusterAddOn[],
): GraphInput => ({
  placements: [
    {
      progression: { namespace: 'ns', name: 'p', configReferences: [{ ...adc, desiredConfig: hash('new') }] },
      strategy,
      placement: { metadata: { namespace: 'ns', name: 'p' }, spec: {} },
      decisions,
    },
  ],
  addOns,
  now,
});

const plan = (...args: Parameters<typeof input>) => configurationPlanOf(buildGraph(input(...args)));
const admitted = (...args: Parameters<typeof input>) =>
  plan(...args).configure.map(({ addOn: { metadata } }) => metadata?.namespace);
const progressive = (settings: object): RolloutStrategy => ({ type: 'Progressive', progressive: settings });

describe('the step of a rollout', () => {
  const pending = ['c1', 'c2', 'c3', 'c4'].map((cluster) => addOn(cluster, 'pending'));
  const one = [decision(0, ['c1', 'c2', 'c3', 'c4'])];

  it.each([
    ['half of two clusters is one', progressive({ maxConcurrency: '50%' }), ['c1', 'c2'], ['c1']],
    ['without a limit it is all', progressive({}), ['c1', 'c2'], ['c1', 'c2']],
  ] as const)('[addons 42] %s', (_, strategy, clusters, expected) => {
    const addOns = clusters.map((cluster) => addOn(cluster, 'pending'));
    expect(admitted(strategy, [decision(0, clusters)], addOns)).toEqual(expected);
  });

  it('[addons 43] has the mandatory groups alone until all of them succeeded', () => {
    const strategy = progressive({ mandatoryDecisionGroups: [{ groupName: 'g1' }] });
    const groups = [decision(0, ['c1', 'c2']), decision(1, ['c3'], 'g1')];
    expect(admitted(strategy, groups, pending.slice(0, 3))).toEqual(['c3']);
    const others = pending.slice(0, 2);
    expect(admitted(strategy, groups, [...others, addOn('c3', 'progressing', 1)])).toEqual(['c3']);
    expect(admitted(strategy, groups, [...others, addOn('c3', 'succeeded', 1)])).toEqual(['c1', 'c2']);
  });

  it.each([0, 5, '0%'])('[addons 49] admits all clusters with a concurrency of %s', (maxConcurrency) => {
    expect(admitted(progressive({ maxConcurrency }), one, pending)).toEqual(['c1', 'c2', 'c3', 'c4']);
  });

  it('[addons 49] tolerates no failure with an out-of-range maxFailures, and refuses what is not a percentage', () => {
    const failing = [addOn('c1', 'failed', 10), ...pending.slice(1)];
    const settings = { maxConcurrency: 1, progressDeadline: '5s' };
    expect(admitted(progressive({ ...settings, maxFailures: 9 }), one, failing)).toEqual([]);
    const [node] = buildGraph(input(progressive({ maxFailures: 'some' }), one, pending)).placements;
    expect(node?.problem).toContain('maxFailures');
  });

  it('[addons 50] goes on with failures within maxFailures', () => {
    const failing = [addOn('c1', 'failed', 10), ...pending.slice(1)];
    expect(admitted(progressive({ maxConcurrency: 1, progressDeadline: '5s', maxFailures: 1 }), one, failing)).toEqual([
      'c2',
    ]);
  });

  it('[addons 51] does not count clusters that are no longer selected', () => {
    const addOns = [addOn('gone', 'failed', 10), ...pending];
    expect(admitted(progressive({ maxConcurrency: 1, progressDeadline: '5s' }), one, addOns)).toEqual(['c1']);
    const [node] = buildGraph(input(progressive({}), one, addOns)).placements;
    expect([...(node?.addOns.keys() ?? [])]).not.toContain('gone');
  });

  it('[addons 52] keeps a cluster that succeeded at an unknown time for its soak time', () => {
    const addOns = [addOn('c1', 'succeeded'), ...pending.slice(1)];
    expect(admitted(progressive({ maxConcurrency: 1, minSuccessTime: '1m' }), one, addOns)).toEqual(['c1']);
  });

  it('[addons 53] never ends for a cluster without a deadline', () => {
    const result = plan(progressive({ maxConcurrency: 1, progressDeadline: 'None' }), one, [
      addOn('c1', 'progressing', 1e6),
    ]);
    expect([result.configure.length, result.recheckAfterMs]).toEqual([1, undefined]);
  });

  it('[addons 54] is looked at again when the first soak time or deadline ends', () => {
    const addOns = [addOn('c1', 'progressing', 10), addOn('c2', 'succeeded', 30), addOn('c3', 'progressing', 50)];
    const strategy = progressive({ minSuccessTime: '1m', progressDeadline: '55s' });
    expect(plan(strategy, one, addOns).recheckAfterMs).toBe(5000);
  });

  it('[addons 44] has one group after the other', () => {
    const strategy: RolloutStrategy = { type: 'ProgressivePerGroup', progressivePerGroup: {} };
    const groups = [decision(0, ['c1', 'c2']), decision(1, ['c3', 'c4'])];
    const result = plan(strategy, groups, pending);
    const names = (nodes: typeof result.wait) => nodes.map(({ addOn: { metadata } }) => metadata?.namespace);
    expect([names(result.configure), names(result.wait)]).toEqual([
      ['c1', 'c2'],
      ['c3', 'c4'],
    ]);
  });
});

describe('decisions that are being written', () => {
  const strategy: RolloutStrategy = {
    type: 'Progressive',
    progressive: { mandatoryDecisionGroups: [{ groupName: 'canary' }] },
  };
  const counted = (...counts: readonly [string, number][]) => ({
    decisionGroups: counts.map(([decisionGroupName, clusterCount], decisionGroupIndex) => ({
      decisionGroupIndex,
      decisionGroupName,
      clusterCount,
    })),
  });
  const namesOf = (given: GraphInput) => {
    const { configure, wait } = configurationPlanOf(buildGraph(given));
    return [configure, wait].map((nodes) => nodes.map(({ addOn: { metadata } }) => metadata?.namespace));
  };
  const addOns = [addOn('c1', 'pending'), addOn('c2', 'pending')];

  it('do not send the whole fleet into the group of the canary', () => {
    // The page has its new label already, and still the clusters that it had.
    const between = input(strategy, [decision(0, ['c1', 'c2'], 'canary'), decision(1, ['c2'])], addOns);
    const [placed] = between.placements;
    if (!placed?.placement) throw new Error('the input has no placement');
    const withStatus = (status: object) => ({
      ...between,
      placements: [{ ...placed, placement: { metadata: { namespace: 'ns', name: 'p' }, spec: {}, status } }],
    });
    expect(namesOf(withStatus(counted(['', 2])))).toEqual([[], ['c1', 'c2']]);
    const written = { ...placed, decisions: [decision(0, ['c1'], 'canary'), decision(1, ['c2'])] };
    const status = counted(['canary', 1], ['', 1]);
    const after = { ...between, placements: [{ ...written, placement: { ...placed.placement, status } }] };
    expect(namesOf(after)).toEqual([['c1'], ['c2']]);
  });
});
