import { Annotation, type Placement } from '@flotilla/api-types';
import { expect, it } from 'vitest';
import { areGroupsComplete } from './complete-groups.ts';
import type { ClusterGroup } from './decision-tracker.ts';

const group = (groupIndex: number, groupName: string, ...clusters: string[]): ClusterGroup => ({
  groupIndex,
  groupName,
  clusters: new Set(clusters),
});
const placement = (counts: Readonly<Record<string, number>> | undefined, annotations = {}): Placement => ({
  metadata: { namespace: 'ns', name: 'p', annotations },
  spec: {},
  status: {
    ...(counts && {
      decisionGroups: Object.entries(counts).map(([decisionGroupName, clusterCount], decisionGroupIndex) => ({
        decisionGroupIndex,
        decisionGroupName,
        clusterCount,
      })),
    }),
  },
});

it.each<[string, boolean, Placement, ClusterGroup[]]>([
  [
    'complete when name, position and number of clusters agree',
    true,
    placement({ canary: 1, '': 2 }),
    [group(0, 'canary', 'a'), group(1, '', 'b', 'c')],
  ],
  [
    'not complete while the page of the canary still has the whole fleet',
    false,
    placement({ '': 3 }),
    [group(0, 'canary', 'a', 'b', 'c'), group(1, '', 'b', 'c')],
  ],
  [
    'not complete while a page still has the label that it had',
    false,
    placement({ canary: 1, '': 2 }),
    [group(0, '', 'a'), group(1, '', 'b', 'c')],
  ],
  ['not complete while a group is missing', false, placement({ canary: 1, '': 2 }), [group(0, 'canary', 'a')]],
  [
    'complete with empty groups, which nothing counts',
    true,
    placement({ canary: 0, '': 1 }),
    [group(0, 'canary'), group(1, '', 'a')],
  ],
  ['complete without groups in the status', true, placement(undefined), [group(0, '', 'a')]],
  [
    'complete where others write the decisions',
    true,
    placement({ '': 9 }, { [Annotation.SchedulingDisabled]: 'true' }),
    [group(0, '', 'a')],
  ],
])('decision groups are %s', (_, expected, one, groups) => {
  expect(areGroupsComplete(one, groups)).toBe(expected);
});
