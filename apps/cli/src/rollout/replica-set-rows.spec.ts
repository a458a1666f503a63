import { Annotation, type ManifestWorkReplicaSet } from '@flotilla/api-types';
import { expect, test } from 'vitest';
import { replicaSetTable } from './replica-set-rows.ts';

const now = Date.UTC(2026, 0, 1, 1);
const condition = (type: string, status: 'True' | 'False', reason: string, message = '') => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
const verified = condition('PlacementVerified', 'True', 'AsExpected');
const rowOf = (status: ManifestWorkReplicaSet['status'], annotations = {}) =>
  replicaSetTable(
    [{ metadata: { namespace: 'team', name: 'web', creationTimestamp: '2026-01-01T00:00:00Z', annotations }, status }],
    false,
    now,
  )
    .split('\n')[1]
    ?.split(/ {2,}/)
    .slice(2);

test.each<[string, ManifestWorkReplicaSet['status'], string[]]>([
  [
    'is done',
    {
      conditions: [verified, condition('PlacementRolledOut', 'True', 'Complete')],
      summary: { total: 2, desiredTotal: 2, updated: 2, available: 2 },
    },
    ['Complete', '2', '2', '2', '60m'],
  ],
  [
    'a hub of OCM keeps, which does not count selected clusters',
    {
      conditions: [verified, condition('PlacementRolledOut', 'False', 'Progressing')],
      summary: { total: 3, available: 1 },
      placementSummary: [{ name: 'all', availableDecisionGroups: '2 (3 / 5 clusters applied)' }],
    },
    ['Progressing', '5', '3', '1', '60m'],
  ],
  [
    'has no placement',
    { conditions: [condition('PlacementVerified', 'False', 'PlacementDecisionNotFound')] },
    ['PlacementDecisionNotFound', '0', '0', '0', '60m'],
  ],
  [
    'has a name that works cannot carry',
    { conditions: [condition('ManifestworkApplied', 'False', 'InvalidManifestWorkName', 'too long')] },
    ['InvalidManifestWorkName', '0', '0', '0', '60m', 'too long'],
  ],
  ['no hub has seen', undefined, ['Unknown', '0', '0', '0', '60m', 'no hub has reconciled it yet']],
])('a replica set that %s', (_, status, expected) => {
  expect(rowOf(status)).toEqual(expected);
});

test('a replica set that is paused', () => {
  expect(rowOf({ conditions: [verified] }, { [Annotation.RolloutPaused]: 'true' })?.[0]).toBe('Paused');
});
