import type { PlacementDecision } from '@flotilla/api-types';
import { expect, it } from 'vitest';
import { clusterChanges, clusterGroups, groupsAmong, groupsBesides } from './decision-tracker.ts';

const decision = (group: string, index: string | undefined, ...clusters: readonly string[]): PlacementDecision => ({
  metadata: {
    namespace: 'ns',
    name: 'p-decision-1',
    labels: {
      'cluster.open-cluster-management.io/decision-group-name': group,
      ...(index !== undefined && { 'cluster.open-cluster-management.io/decision-group-index': index }),
    },
  },
  status: { decisions: clusters.map((clusterName) => ({ clusterName, reason: '' })) },
});

it('[placement 15.10-209, 15.10-210] names clusters that came and went', () => {
  const before = clusterGroups([decision('', '0', '1', '2')]);
  const after = clusterGroups([decision('', '0', '1'), decision('', '0', '3')]);
  expect(clusterChanges(before, after)).toEqual({ added: new Set(['3']), deleted: new Set(['2']) });
  expect(clusterChanges([], before)).toEqual({ added: new Set(['1', '2']), deleted: new Set() });
});

it('[placement 15.10-211, 15.10-212, 15.10-213] finds groups by name or index', () => {
  const groups = clusterGroups([
    decision('group2', '2', '5', '6'),
    decision('group1', '0', '1', '2'),
    decision('group1', '1', '3', '4'),
  ]);
  const indexes = (found: typeof groups) => found.map(({ groupIndex }) => groupIndex);
  const three = [{ groupName: 'group1' }, { groupIndex: 2 }, { groupName: 'group3' }];
  expect([indexes(groupsAmong(groups, three)), indexes(groupsBesides(groups, three))]).toEqual([[0, 1, 2], []]);
  const one = [{ groupName: 'group1' }];
  expect([indexes(groupsAmong(groups, one)), indexes(groupsBesides(groups, one))]).toEqual([[0, 1], [2]]);
  expect([indexes(groupsAmong(groups, [])), indexes(groupsBesides(groups, []))]).toEqual([[], [0, 1, 2]]);
});

it('[placement 15.10-214] refuses a decision without an index', () => {
  expect(() => clusterGroups([decision('', undefined, '1')])).toThrow('incorrect group index');
});

it('keeps groups when indexes have gaps (weakness 28)', () => {
  const groups = clusterGroups([decision('a', '0', '1'), decision('b', '5', '2')]);
  expect(groupsBesides(groups, [{ groupIndex: 0 }])).toMatchObject([{ groupName: 'b' }]);
});
