import type { RolloutStrategy } from '@flotilla/api-types';
import {
  type ClusterGroup,
  type ClusterRolloutStatus,
  groupsAmong,
  planRollout,
  type RolloutStatus,
} from '@flotilla/placement/rollout';
import { describe, expect, it } from 'vitest';

// The strategies as replica sets use them, by the cases of the specification of works.

const now = Date.UTC(2026, 0, 1);

const groupsOf = (...sizes: readonly number[]): ClusterGroup[] => {
  let last = 0;
  return sizes.map((size, groupIndex) => {
    const clusters = new Set(Array.from({ length: size }, (_, index) => `c${last + index + 1}`));
    last += size;
    return { groupName: '', groupIndex, clusters };
  });
};

/** `c1 Succeeded -30` for a cluster that succeeded 30 seconds ago. */
const existingOf = (text: string): ClusterRolloutStatus[] =>
  text
    .split(', ')
    .filter((one) => one !== '')
    .map((one) => {
      const [clusterName = '', status, seconds] = one.split(' ');
      return {
        clusterName,
        groupKey: { groupName: '', groupIndex: 0 },
        status: status as RolloutStatus,
        ...(seconds && { lastTransitionTime: now + Number(seconds) * 1000 }),
      };
    });

const planOf = (strategy: RolloutStrategy, groups: readonly ClusterGroup[], existing: string) => {
  const plan = planRollout({ strategy, groups, existing: existingOf(existing), now });
  const names = (clusters: readonly ClusterRolloutStatus[]) => clusters.map(({ clusterName }) => clusterName).join(' ');
  return {
    rollout: names(plan.rollout),
    ...(plan.timedOut.length > 0 && { timedOut: names(plan.timedOut) }),
    ...(plan.removed.length > 0 && { removed: names(plan.removed) }),
    ...(plan.isMaxFailureBreached && { breach: true }),
    ...(plan.recheckAfterMs !== undefined && { recheck: plan.recheckAfterMs / 1000 }),
  };
};

type Settings = NonNullable<RolloutStrategy['progressive']>;
const all = (progressDeadline: string): RolloutStrategy => ({ type: 'All', all: { progressDeadline } });
const progressive = (settings: Settings): RolloutStrategy => ({ type: 'Progressive', progressive: settings });
const perGroup = (settings: NonNullable<RolloutStrategy['progressivePerGroup']>): RolloutStrategy => ({
  type: 'ProgressivePerGroup',
  progressivePerGroup: settings,
});
const mandatoryDecisionGroups = [{ groupIndex: 0 }];

describe('the next step of a rollout', () => {
  it.each<[string, RolloutStrategy, ClusterGroup[], string, object]>([
    ['[work 18.P-202] All starts with all clusters', all('90s'), groupsOf(2, 4), '', { rollout: 'c1 c2 c3 c4 c5 c6' }],
    [
      '[work 18.P-203] All leaves out clusters that took too long',
      all('90s'),
      groupsOf(2, 4),
      'c1 Succeeded -60, c2 Failed -120, c3 Progressing -120, c4 Failed -60, c5 Progressing -60',
      { rollout: 'c4 c5 c6', timedOut: 'c2 c3', recheck: 30 },
    ],
    ['[work 18.P-204] two at a time', progressive({ maxConcurrency: 2 }), groupsOf(2, 4), '', { rollout: 'c1 c2' }],
    [
      '[work 18.P-205] as many as fit beside one under way; who left is removed',
      progressive({ maxConcurrency: 4 }),
      groupsOf(10),
      'c1 Progressing -10, x Succeeded -10',
      { rollout: 'c1 c10 c2 c3', removed: 'x' },
    ],
    ['[work 18.P-206] all, without a concurrency', progressive({}), groupsOf(3), '', { rollout: 'c1 c2 c3' }],
    [
      '[work 18.P-207] no failure is tolerated by default',
      progressive({ maxConcurrency: 2, progressDeadline: '90s' }),
      groupsOf(6),
      'c1 Succeeded -60, c2 Failed -120, c3 Progressing -60',
      { rollout: 'c3', timedOut: 'c2', breach: true, recheck: 30 },
    ],
    [
      '[work 18.P-208] one failure is tolerated',
      progressive({ maxConcurrency: 2, progressDeadline: '90s', maxFailures: 1 }),
      groupsOf(6),
      'c1 Succeeded -60, c2 Failed -120, c3 Progressing -60',
      { rollout: 'c3 c4', timedOut: 'c2', recheck: 30 },
    ],
    [
      '[work 18.P-209] a deadline of 0s',
      progressive({ maxConcurrency: 2, progressDeadline: '0s', maxFailures: 3 }),
      groupsOf(6),
      'c1 Succeeded -60, c2 Failed -120, c3 Failed -60',
      { rollout: 'c4 c5', timedOut: 'c2 c3' },
    ],
    [
      '[work 18.P-210] a cluster soaks',
      progressive({ maxConcurrency: 1, minSuccessTime: '60s' }),
      groupsOf(3),
      'c1 Succeeded -30',
      { rollout: 'c1', recheck: 30 },
    ],
    [
      '[work 18.P-210] a cluster has soaked',
      progressive({ maxConcurrency: 1, minSuccessTime: '60s' }),
      groupsOf(3),
      'c1 Succeeded -120',
      { rollout: 'c2' },
    ],
    [
      '[work 18.P-211] a mandatory group tolerates no failure',
      progressive({ maxConcurrency: 3, progressDeadline: '90s', maxFailures: 2, mandatoryDecisionGroups }),
      groupsOf(3, 3),
      'c1 Succeeded -60, c2 Failed -120, c3 Progressing -60',
      { rollout: 'c3', timedOut: 'c2', breach: true, recheck: 30 },
    ],
    [
      '[work 18.P-211] others follow a mandatory group',
      progressive({ maxConcurrency: 2, mandatoryDecisionGroups }),
      groupsOf(3, 3),
      'c1 Succeeded -60, c2 Succeeded -60, c3 Succeeded -60',
      { rollout: 'c4 c5' },
    ],
    [
      '[work 18.P-212] all may fail',
      progressive({ maxConcurrency: '50%', maxFailures: '100%' }),
      groupsOf(6),
      'c1 Succeeded -60, c2 Failed -60, c3 Progressing -60',
      { rollout: 'c2 c3 c4' },
    ],
    [
      '[work 18.P-212] none may fail',
      progressive({ maxConcurrency: '50%', maxFailures: '0%' }),
      groupsOf(6),
      'c1 Succeeded -60, c2 Failed -60, c3 Progressing -60',
      { rollout: 'c2 c3', breach: true },
    ],
    ['[work 18.P-213] one group first', perGroup({}), groupsOf(2, 2, 2), '', { rollout: 'c1 c2' }],
    [
      '[work 18.P-213] a timeout is tolerated, and the next group starts',
      perGroup({ progressDeadline: '90s', maxFailures: 2 }),
      groupsOf(2, 2, 2),
      'c1 Succeeded -60, c2 Failed -120',
      { rollout: 'c3 c4', timedOut: 'c2' },
    ],
    [
      '[work 18.P-213] a failure stops',
      perGroup({}),
      groupsOf(2, 2, 2),
      'c1 Succeeded -60, c2 Failed -60',
      { rollout: 'c2', breach: true },
    ],
    [
      '[work 18.P-213] two failures of three are more than 30%',
      perGroup({ maxFailures: '30%' }),
      groupsOf(3, 3),
      'c1 Failed -60, c2 Failed -60, c3 Succeeded -60',
      { rollout: 'c1 c2', breach: true },
    ],
    [
      '[work 18.P-214] a mandatory group that fails stops all',
      perGroup({ maxFailures: 2, mandatoryDecisionGroups }),
      groupsOf(2, 2),
      'c1 Succeeded -60, c2 Failed -60',
      { rollout: 'c2', breach: true },
    ],
    [
      '[work 18.P-215] clusters that come later, with All',
      all('None'),
      groupsOf(3, 4),
      'c1 Succeeded -60, c2 Succeeded -60, c3 Succeeded -60, c4 Progressing -60, c5 Progressing -60',
      { rollout: 'c4 c5 c6 c7' },
    ],
    [
      '[work 18.P-215] a cluster that comes later to a mandatory group that is done, with Progressive',
      progressive({ mandatoryDecisionGroups }),
      [
        { groupName: '', groupIndex: 0, clusters: new Set(['c1', 'c2', 'c3', 'c7']) },
        { groupName: '', groupIndex: 1, clusters: new Set(['c4', 'c5', 'c6']) },
      ],
      'c1 Succeeded -60, c2 Succeeded -60, c3 Succeeded -60, c4 Progressing -60, c5 Progressing -60',
      { rollout: 'c4 c5 c7' },
    ],
    [
      '[work 18.P-215] a cluster that comes later to a group that is done',
      perGroup({}),
      groupsOf(3, 2),
      'c1 Succeeded -60, c2 Succeeded -60, c4 Progressing -60, c5 Progressing -60',
      { rollout: 'c4 c5 c3' },
    ],
  ])('%s', (_, strategy, groups, existing, expected) => {
    expect(planOf(strategy, groups, existing)).toEqual(expected);
  });

  it('[work 18.P-216] counts, percentages and deadlines', () => {
    const hundred = groupsOf(100);
    const started = (maxConcurrency: number | string) => planOf(progressive({ maxConcurrency }), hundred, '').rollout;
    const counts = [50, '30%', 0, 101, '200%'].map((size) => started(size).split(' ').length);
    expect(counts).toEqual([50, 30, 100, 100, 100]);
    expect(() => started('invalid')).toThrow("'invalid' is an invalid maximum threshold value");
    for (const deadline of ['2h', '30m', '10s', 'None', ''])
      expect(() => planOf(all(deadline), hundred, '')).not.toThrow();
    for (const deadline of ['2d', '0', '2d0s', '10g']) expect(() => planOf(all(deadline), hundred, '')).toThrow();
  });

  it('[work 18.P-217] groups are meant by name, else by index, else the first', () => {
    const groups = groupsOf(1, 1, 1).map((group) => ({ ...group, groupName: group.groupIndex === 1 ? 'canary' : '' }));
    const indexes = (selector: object) => groupsAmong(groups, [selector]).map(({ groupIndex }) => groupIndex);
    expect(indexes({ groupName: 'canary', groupIndex: 2 })).toEqual([1]);
    expect(indexes({ groupIndex: 2 })).toEqual([2]);
    expect(indexes({})).toEqual([0]);
  });
});
