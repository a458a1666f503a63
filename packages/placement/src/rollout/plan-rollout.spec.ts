import type { RolloutStrategy } from '@flotilla/api-types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClusterRolloutStatus, RolloutStatus } from './cluster-status.ts';
import type { ClusterGroup } from './decision-tracker.ts';
import { deadlineMs, thresholdOf } from './limits.ts';
import { planRollout, type RolloutPlan } from './plan-rollout.ts';

const now = 1_000_000;
const names: Readonly<Record<string, RolloutStatus>> = {
  new: 'ToApply',
  applying: 'Progressing',
  done: 'Succeeded',
  failed: 'Failed',
  timeout: 'TimeOut',
  skip: 'Skip',
};

/** `'1-3 4'` as groups: the first with clusters 1, 2 and 3, the second with 4. The first is named g0, and so on. */
const groupsOf = (text: string): ClusterGroup[] =>
  text.split(' ').map((list, groupIndex) => ({
    groupName: `g${groupIndex}`,
    groupIndex,
    clusters: new Set(list === '' ? [] : list.split(',').flatMap(range)),
  }));
const range = (text: string): string[] => {
  const [first = 0, last = first] = text.split('-').map(Number);
  return Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
};

/** `'1 done@-60, 2 failed'` as statuses; the time is in seconds from now. */
const statusesOf = (text: string, groups: readonly ClusterGroup[]): ClusterRolloutStatus[] =>
  text === ''
    ? []
    : text.split(', ').map((one) => {
        const [, clusterName = '', word = '', seconds] = /^(\S+) ([a-z]+)(?:@(-?\d+))?$/.exec(one) ?? [];
        const group = groups.find(({ clusters }) => clusters.has(clusterName));
        return {
          clusterName,
          groupKey: { groupName: group?.groupName ?? '', groupIndex: group?.groupIndex ?? 0 },
          status: names[word] ?? 'Progressing',
          ...(seconds !== undefined && { lastTransitionTime: now + Number(seconds) * 1000 }),
        };
      });

const wordOf = (status: RolloutStatus): string =>
  Object.entries(names).find(([, value]) => value === status)?.[0] ?? status;
const listed = (clusters: readonly ClusterRolloutStatus[]): string =>
  clusters
    .map(({ clusterName, status, recheckTime }) => {
      const recheck = recheckTime === undefined || status === 'TimeOut' ? '' : `+${(recheckTime - now) / 1000}`;
      return `${clusterName} ${wordOf(status)}${recheck}`;
    })
    .join(', ');

/** A plan in one line. */
const printed = ({ rollout, timedOut, removed, isMaxFailureBreached, recheckAfterMs }: RolloutPlan): string =>
  [
    listed(rollout),
    timedOut.length > 0 && `timeout ${timedOut.map(({ clusterName }) => clusterName).join(' ')}`,
    removed.length > 0 &&
      `removed ${removed.map(({ clusterName, status }) => `${clusterName} ${wordOf(status)}`).join(' ')}`,
    isMaxFailureBreached && 'breach',
    recheckAfterMs !== undefined && `recheck ${recheckAfterMs / 1000}`,
  ]
    .filter(Boolean)
    .join('; ');

const planned = (strategy: RolloutStrategy, groupText: string, existing: string): string => {
  const groups = groupsOf(groupText);
  return printed(planRollout({ strategy, groups, existing: statusesOf(existing, groups), now }));
};

const all = (settings: RolloutStrategy['all']): RolloutStrategy => ({ type: 'All', all: settings });
const progressive = (settings: RolloutStrategy['progressive']): RolloutStrategy => ({
  type: 'Progressive',
  progressive: settings,
});
const perGroup = (settings: RolloutStrategy['progressivePerGroup']): RolloutStrategy => ({
  type: 'ProgressivePerGroup',
  progressivePerGroup: settings,
});
const s90 = { progressDeadline: '90s' };
const mandatoryDecisionGroups = [{ groupName: 'g0' }];

describe('a step of a rollout', () => {
  it.each<[string, RolloutStrategy, string, string, string]>([
    ['[placement 15.9-170]', all(s90), '1,2 3-6', '', '1 new, 2 new, 3 new, 4 new, 5 new, 6 new'],
    [
      '[placement 15.9-171]',
      all(s90),
      '1,2 3-6',
      '1 done@-60, 2 failed@-120, 3 applying@-120, 4 failed@-60, 5 applying@-60',
      '4 failed+30, 5 applying+30, 6 new; timeout 2 3; recheck 30',
    ],
    [
      '[placement 15.9-172]',
      all(s90),
      '1,2,7 3-6',
      '1 done@-60, 2 failed@-120, 3 applying@-120, 4 failed@-60, 5 applying@-60',
      '4 failed+30, 5 applying+30, 6 new, 7 new; timeout 2 3; recheck 30',
    ],
    [
      '[placement 15.9-173]',
      all(s90),
      '1 3,5',
      '1 done@-60, 2 failed@-120, 3 applying@-120, 4 failed@-60, 5 applying@-60',
      '5 applying+30; timeout 3; removed 2 failed 4 failed; recheck 30',
    ],
    ['[placement 15.9-174]', progressive({ ...s90, maxConcurrency: 2 }), '1-3 4-6', '', '1 new, 2 new'],
    [
      '[placement 15.9-175]',
      progressive({ ...s90, maxConcurrency: 4 }),
      '1-3 4-6 7-9',
      '1 applying@-60, 2 new, 3 new, 4 new, 5 new, 6 new, 7 new, 8 new, 9 new, 10 new',
      '1 applying+30, 2 new, 3 new, 4 new; removed 10 new; recheck 30',
    ],
    [
      '[placement 15.9-176]',
      progressive(s90),
      '1-3 4-6 7-9',
      '1 applying@-60, 2 new, 3 new, 4 new, 5 new, 6 new, 7 new, 8 new, 9 new, 10 new',
      '1 applying+30, 2 new, 3 new, 4 new, 5 new, 6 new, 7 new, 8 new, 9 new; removed 10 new; recheck 30',
    ],
    [
      '[placement 15.9-177]',
      progressive({ ...s90, maxConcurrency: 2 }),
      '1-3 4-6',
      '1 done@-60, 2 failed@-120, 3 applying@-60',
      '3 applying+30; timeout 2; breach; recheck 30',
    ],
    [
      '[placement 15.9-178]',
      progressive({ ...s90, maxConcurrency: 2, maxFailures: 1 }),
      '1-3 4-6',
      '1 done@-60, 2 failed@-120, 3 applying@-60',
      '3 applying+30, 4 new; timeout 2; recheck 30',
    ],
    [
      '[placement 15.9-179]',
      progressive({ ...s90, maxConcurrency: 2, maxFailures: '100%', minSuccessTime: '60s' }),
      '1-3 4-6',
      '1 done@-30, 2 failed@-120, 3 applying@-30',
      '1 done+30, 3 applying+60; timeout 2; recheck 30',
    ],
    [
      '[placement 15.9-180]',
      progressive({ ...s90, maxConcurrency: 4, maxFailures: '100%', minSuccessTime: '60s' }),
      '1-4',
      '1 done@-30, 2 applying@-60, 3 applying@-30, 4 done@-120',
      '1 done+30, 2 applying+30, 3 applying+60; recheck 30',
    ],
    [
      '[placement 15.9-181]',
      progressive({ progressDeadline: '0s', maxConcurrency: 2, maxFailures: 3 }),
      '1-3 4-6',
      '1 done@-60, 2 applying@-30, 3 applying@-30',
      '4 new, 5 new; timeout 2 3',
    ],
    [
      '[placement 15.9-182]',
      progressive({ progressDeadline: 'None', maxConcurrency: '50%', maxFailures: '100%' }),
      '1-3 4-6',
      '1 done@-60, 2 failed@-60, 3 applying@-60',
      '2 failed, 3 applying, 4 new',
    ],
    [
      '[placement 15.9-183]',
      progressive({ progressDeadline: 'None', maxConcurrency: '50%', maxFailures: '0%' }),
      '1-3 4-6',
      '1 done@-60, 2 failed@-60, 3 applying@-60',
      '2 failed, 3 applying; breach',
    ],
    [
      '[placement 15.9-184]',
      progressive({ ...s90, mandatoryDecisionGroups }),
      '1-3 4-6',
      '1 done@-60, 2 failed@-120, 3 applying@-60',
      '3 applying+30; timeout 2; breach; recheck 30',
    ],
    [
      '[placement 15.9-185]',
      progressive({ ...s90, mandatoryDecisionGroups }),
      '1,2 3,4',
      '1 failed@-120, 2 failed@-60',
      '2 failed+30; timeout 1; breach; recheck 30',
    ],
    [
      '[placement 15.9-186]',
      progressive({ maxConcurrency: 3, mandatoryDecisionGroups }),
      '1,2 3,4 5,6',
      '1 done@-60, 2 done@-60',
      '3 new, 4 new, 5 new',
    ],
    [
      '[placement 15.9-187]',
      progressive({ ...s90, maxConcurrency: 3, mandatoryDecisionGroups }),
      '1,2,7 3,4 5,6,8,9',
      '1 done@-60, 2 done@-60, 3 done@-60, 4 applying@-60, 5 applying@-60',
      '4 applying+30, 5 applying+30, 7 new; recheck 30',
    ],
    ['[placement 15.9-188]', perGroup(s90), '1-3 4-6', '', '1 new, 2 new, 3 new'],
    [
      '[placement 15.9-189]',
      perGroup(s90),
      '1-3 4-6',
      '1 applying@-60, 2 new, 3 new, 4 new, 5 new, 6 new',
      '1 applying+30, 2 new, 3 new; recheck 30',
    ],
    [
      '[placement 15.9-190]',
      perGroup({ ...s90, maxFailures: 0 }),
      '1-3 4-6',
      '1 done@-60, 2 failed@-120, 3 applying@-60',
      '3 applying+30; timeout 2; breach; recheck 30',
    ],
    [
      '[placement 15.9-191]',
      perGroup({ ...s90, maxFailures: 2 }),
      '1-3 4-6 7-9',
      '1 done@-60, 2 failed@-120, 3 done@-60',
      '4 new, 5 new, 6 new; timeout 2',
    ],
    [
      '[placement 15.9-192]',
      perGroup({ ...s90, maxFailures: 2 }),
      '1-3 4-6 7-9',
      '1 done@-60, 2 failed@-120, 3 done@-60, 4 done@-60, 5 done@-60, 6 done@-60',
      '7 new, 8 new, 9 new; timeout 2',
    ],
    [
      '[placement 15.9-193]',
      perGroup({ progressDeadline: 'None' }),
      '1-3 4-6',
      '1 done, 2 failed, 3 done',
      '2 failed; breach',
    ],
    [
      '[placement 15.9-194]',
      perGroup({ progressDeadline: 'None', maxFailures: 2 }),
      '1-3 4-6',
      '1 done, 2 failed, 3 done',
      '2 failed, 4 new, 5 new, 6 new',
    ],
    [
      '[placement 15.9-195]',
      perGroup({ progressDeadline: 'None', maxFailures: '30%' }),
      '1-3 4-6',
      '1 done, 2 failed, 3 failed',
      '2 failed, 3 failed; breach',
    ],
    [
      '[placement 15.9-196]',
      perGroup({ ...s90, mandatoryDecisionGroups }),
      '1-3 4-6',
      '1 done, 2 failed@-120, 3 failed@-120',
      'timeout 2 3; breach',
    ],
    [
      '[placement 15.9-197]',
      perGroup({ ...s90, maxFailures: 2, mandatoryDecisionGroups }),
      '1-3 4-6',
      '1 done, 2 failed@-120, 3 done',
      'timeout 2; breach',
    ],
    [
      '[placement 15.9-198]',
      perGroup({ ...s90, mandatoryDecisionGroups }),
      '1-3 4-6',
      '1 done, 2 done, 3 done',
      '4 new, 5 new, 6 new',
    ],
    [
      '[placement 15.9-199]',
      perGroup({ ...s90, maxFailures: '50%', minSuccessTime: '60s' }),
      '1-3 4-6',
      '1 done@-30, 2 done@-120, 3 applying@-30',
      '1 done+30, 3 applying+60; recheck 30',
    ],
    [
      '[placement 15.9-200]',
      perGroup(s90),
      '1-3 4-6',
      '1 done, 2 done, 4 applying@-60, 5 applying@-60',
      '4 applying+30, 5 applying+30, 3 new; recheck 30',
    ],
    [
      '[placement 15.9-201]',
      perGroup({ ...s90, mandatoryDecisionGroups }),
      '1,3 4-6',
      '1 done, 2 failed@-120, 3 done',
      '4 new, 5 new, 6 new; removed 2 failed',
    ],
    ['[placement 15.9-204]', progressive({ ...s90, maxFailures: 1 }), '1-3', '1 skip, 2 timeout, 3 done', ''],
    ['[placement 15.9-205]', progressive({ ...s90, minSuccessTime: '2m' }), '1', '1 done', '1 done+120; recheck 120'],
    ['[placement 15.9-208]', progressive({ maxFailures: 10 }), '1-3 4-6', '1 failed, 2 new', '1 failed; breach'],
  ])('%s of %j over %s after %s', (_, strategy, groups, existing, expected) => {
    expect(planned(strategy, groups, existing)).toBe(expected);
  });

  it('[placement 15.9-207] takes mandatory groups by name, else by index', () => {
    const by = (selector: { groupName?: string; groupIndex?: number }) =>
      planned(perGroup({ mandatoryDecisionGroups: [selector] }), '1 2 3', '');
    expect(by({ groupName: 'g1', groupIndex: 2 })).toBe('2 new');
    expect(by({ groupIndex: 2 })).toBe('3 new');
    expect(by({})).toBe('1 new');
  });

  it('names the field that cannot be understood', () => {
    expect(() => planned(progressive({ maxFailures: 'many' }), '1', '')).toThrow(
      "failed to parse the provided maxFailures: 'many' is an invalid maximum threshold value: string is not a percentage",
    );
    expect(() => planned(progressive({ maxConcurrency: 'x' }), '1', '')).toThrow('the provided maxConcurrency');
    expect(() => planned({}, '1', '')).toThrow('incorrect rollout strategy type');
  });
});

it('[placement 15.9-202] reads counts and percentages', () => {
  expect([50, '30%', 0, 101, '200%'].map((limit) => thresholdOf(limit, 100, -1))).toEqual([50, 30, -1, -1, -1]);
  expect(() => thresholdOf('invalid', 100, 0)).toThrow('is an invalid maximum threshold value');
});

it('[placement 15.9-203] reads deadlines', () => {
  expect(['2h', '30m', '10s', 'None', '', '1h30m'].map(deadlineMs)).toEqual([
    7_200_000,
    1_800_000,
    10_000,
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    5_400_000,
  ]);
  for (const text of ['2d', '0', '2d0s', '10g']) expect(() => deadlineMs(text), text).toThrow('invalid timeout format');
});

describe('whatever happened before', () => {
  const groups = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 4 }).map((sizes) => {
    let next = 1;
    return sizes.map((size, groupIndex) => ({
      groupName: `g${groupIndex}`,
      groupIndex,
      clusters: new Set(Array.from({ length: size }, () => String(next++))),
    }));
  });
  const existing = fc.uniqueArray(
    fc.record({
      clusterName: fc.integer({ min: 1, max: 18 }).map(String),
      groupKey: fc.constant({ groupName: '', groupIndex: 0 }),
      status: fc.constantFrom<RolloutStatus>('ToApply', 'Progressing', 'Succeeded', 'Failed', 'TimeOut', 'Skip'),
      lastTransitionTime: fc.option(fc.integer({ min: now - 200_000, max: now }), { nil: undefined }),
    }),
    { selector: ({ clusterName }) => clusterName, maxLength: 18 },
  );
  const settings = fc.record({
    progressDeadline: fc.constantFrom('None', '90s', '0s'),
    minSuccessTime: fc.constantFrom('0', '60s'),
    maxFailures: fc.constantFrom<number | string>(0, 1, '50%', '100%'),
    mandatoryDecisionGroups: fc.constantFrom<{ groupIndex: number }[]>([], [{ groupIndex: 0 }]),
  });
  const strategy: fc.Arbitrary<RolloutStrategy> = fc.oneof(
    settings.map((given) => all(given)),
    fc
      .tuple(settings, fc.constantFrom<number | string>(1, 2, '50%'))
      .map(([given, maxConcurrency]) => progressive({ ...given, maxConcurrency })),
    settings.map((given) => perGroup(given)),
  );

  it('a plan names each selected cluster at most once, starts none after a breach, and keeps to maxConcurrency', () => {
    fc.assert(
      fc.property(strategy, groups, existing, (given, groupList, statuses) => {
        const plan = planRollout({ strategy: given, groups: groupList, existing: statuses, now });
        const selected = new Set(groupList.flatMap(({ clusters }) => [...clusters]));
        const inPlan = [...plan.rollout, ...plan.timedOut].map(({ clusterName }) => clusterName);
        expect(new Set(inPlan).size).toBe(inPlan.length);
        for (const name of inPlan) expect(selected.has(name)).toBe(true);
        for (const { clusterName } of plan.removed) expect(selected.has(clusterName)).toBe(false);
        const known = new Set(statuses.map(({ clusterName }) => clusterName));
        const started = plan.rollout.filter(({ clusterName }) => !known.has(clusterName));
        const { maxConcurrency, mandatoryDecisionGroups: first = [] } = given.progressive ?? {};
        if (given.type === 'Progressive' && plan.isMaxFailureBreached && first.length === 0)
          expect(started).toEqual([]);
        if (maxConcurrency !== undefined && first.length === 0) {
          const size = thresholdOf(maxConcurrency, selected.size, selected.size);
          expect(started.length).toBeLessThanOrEqual(size);
        }
        if (plan.recheckAfterMs !== undefined) expect(plan.recheckAfterMs).toBeGreaterThan(0);
      }),
      { numRuns: 2000 },
    );
  });

  it('a rollout in which all clusters succeed ends, and has reached every cluster', () => {
    fc.assert(
      fc.property(strategy, groups, (given, groupList) => {
        const done = new Map<string, ClusterRolloutStatus>();
        const wanted = groupList.flatMap(({ clusters }) => [...clusters]);
        let time = now;
        for (let round = 0; round <= wanted.length * 2 + 2; round++) {
          const plan = planRollout({ strategy: given, groups: groupList, existing: [...done.values()], now: time });
          if (plan.rollout.length === 0) break;
          time += 60_000;
          for (const cluster of plan.rollout) {
            const lastTransitionTime = done.get(cluster.clusterName)?.lastTransitionTime ?? time;
            done.set(cluster.clusterName, { ...cluster, status: 'Succeeded', lastTransitionTime });
          }
        }
        expect([...done.keys()].sort()).toEqual(wanted.sort());
      }),
      { numRuns: 1000 },
    );
  });
});
