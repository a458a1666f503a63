import type { PlacementSpec } from '@flotilla/api-types';
import { expect, it } from 'vitest';
import { type ClusterParts, scheduled } from '../fixtures/objects.ts';

const cloud = (name: string): ClusterParts => ({ labels: { cloud: name } });
const fleetOf = (...clouds: readonly string[]): Record<string, ClusterParts> =>
  Object.fromEntries(clouds.map((name, index) => [`c${index + 1}`, cloud(name)]));
const group = (groupName: string, cloudName: string) => ({
  groupName,
  groupClusterSelector: { labelSelector: { matchLabels: { cloud: cloudName } } },
});
const strategy = (
  groupStrategy: NonNullable<NonNullable<PlacementSpec['decisionStrategy']>['groupStrategy']>,
): PlacementSpec => ({ decisionStrategy: { groupStrategy } });
const many = (count: number, parts: ClusterParts, prefix: string): Record<string, ClusterParts> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`${prefix}${String(index).padStart(4, '0')}`, parts]),
  );

/** Each group as `index name: page(clusters) …`. */
const layout = (clusters: Record<string, ClusterParts>, spec: PlacementSpec = {}): string[] => {
  const { decisions } = scheduled({ clusters }, spec);
  const sizes = new Map(decisions?.pages.map((page) => [page.name, page.clusters.length]));
  return (decisions?.groups ?? []).map(
    ({ decisionGroupIndex, decisionGroupName, decisions: pages = [], clusterCount }) =>
      `${decisionGroupIndex} ${decisionGroupName}: ${pages.map((page) => `${page}(${sizes.get(page)})`).join(' ')} = ${clusterCount}`,
  );
};

it.each<[string, Record<string, ClusterParts>, PlacementSpec, string[]]>([
  ['[placement 15.7-121]', many(10, {}, 'c'), {}, ['0 : p-decision-1(10) = 10']],
  ['[placement 15.7-122]', many(101, {}, 'c'), {}, ['0 : p-decision-1(100) p-decision-2(1) = 101']],
  ['[placement 15.7-123]', {}, {}, ['0 : p-decision-1(0) = 0']],
  [
    '[placement 15.7-124]',
    fleetOf('Amazon', 'Amazon', 'Azure', 'Azure'),
    strategy({ clustersPerDecisionGroup: 1, decisionGroups: [group('canary', 'Azure')] }),
    [
      '0 canary: p-decision-1(1) = 1',
      '1 canary: p-decision-2(1) = 1',
      '2 : p-decision-3(1) = 1',
      '3 : p-decision-4(1) = 1',
    ],
  ],
  [
    '[placement 15.7-125]',
    fleetOf('Amazon', 'Amazon', 'Azure', 'Azure'),
    strategy({ clustersPerDecisionGroup: '25%', decisionGroups: [group('canary', 'Azure')] }),
    [
      '0 canary: p-decision-1(1) = 1',
      '1 canary: p-decision-2(1) = 1',
      '2 : p-decision-3(1) = 1',
      '3 : p-decision-4(1) = 1',
    ],
  ],
  [
    '[placement 15.7-126]',
    fleetOf('a', 'b', 'c'),
    strategy({ clustersPerDecisionGroup: '25%' }),
    ['0 : p-decision-1(1) = 1', '1 : p-decision-2(1) = 1', '2 : p-decision-3(1) = 1'],
  ],
  [
    '[placement 15.7-127]',
    fleetOf('Amazon', 'Amazon', 'Azure'),
    strategy({ decisionGroups: [group('group1', 'Amazon'), group('group2', 'Azure')] }),
    ['0 group1: p-decision-1(2) = 2', '1 group2: p-decision-2(1) = 1'],
  ],
  [
    '[placement 15.7-128]',
    fleetOf('a', 'b', 'c'),
    strategy({ decisionGroups: [group('canary', 'none')] }),
    ['0 : p-decision-1(3) = 3'],
  ],
  [
    '[placement 15.7-130]',
    { ...many(10, cloud('west'), 'w'), ...many(10, cloud('east'), 'e'), ...many(290, {}, 'r') },
    strategy({ clustersPerDecisionGroup: 150, decisionGroups: [group('west', 'west'), group('east', 'east')] }),
    [
      '0 west: p-decision-1(10) = 10',
      '1 east: p-decision-2(10) = 10',
      '2 : p-decision-3(100) p-decision-4(50) = 150',
      '3 : p-decision-5(100) p-decision-6(40) = 140',
    ],
  ],
  [
    '[placement 15.7-131]',
    fleetOf('Azure'),
    strategy({ decisionGroups: [group('first', 'Azure'), group('second', 'Azure')] }),
    ['0 first: p-decision-1(1) = 1'],
  ],
  [
    '5: 7 percent of 100 are 8 in doubles',
    many(100, {}, 'c'),
    strategy({ clustersPerDecisionGroup: '7%' }),
    [
      ...Array.from({ length: 12 }, (_, index) => `${index} : p-decision-${index + 1}(8) = 8`),
      '12 : p-decision-13(4) = 4',
    ],
  ],
])('%s groups and pages', (_, clusters, spec, expected) => {
  expect(layout(clusters, spec)).toEqual(expected);
});

it('[placement 15.7-138] refuses a size that is text without a percent sign', () => {
  const { status, decisions } = scheduled({ clusters: {} }, strategy({ clustersPerDecisionGroup: '5' }));
  expect(status.reasons).toEqual(['5 invalid type: string is not a percentage']);
  expect(decisions).toBeUndefined();
});

it('labels each page with its placement and group', () => {
  const { decisions } = scheduled(
    { clusters: fleetOf('Azure') },
    strategy({ decisionGroups: [group('canary', 'Azure')] }),
  );
  expect(decisions?.pages[0]?.labels).toEqual({
    'cluster.open-cluster-management.io/placement': 'p',
    'cluster.open-cluster-management.io/decision-group-name': 'canary',
    'cluster.open-cluster-management.io/decision-group-index': '0',
  });
});
