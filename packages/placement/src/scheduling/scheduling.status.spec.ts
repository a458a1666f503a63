import { expect, it } from 'vitest';
import { newPlacement, now } from '../fixtures/objects.ts';
import { placementStatus } from './scheduling.status.ts';

it('[placement 15.7-147] shows the error of a plugin, which is not a mistake of the user', () => {
  const status = { code: 'Error', plugin: 'AddOn/demo/demo', reasons: ['the table of scores is broken'] } as const;
  const sets = ['global'];
  const result = {
    status,
    validSets: sets,
    eligibleSets: sets,
    hasCandidates: true,
    selected: [],
    unscheduled: 0,
    decisions: undefined,
    recheckAt: undefined,
  };
  const { conditions = [] } = placementStatus(newPlacement(), result, [], now);
  expect(conditions.map(({ type, status, reason, message }) => [type, status, reason, message])).toEqual([
    ['PlacementMisconfigured', 'False', 'Succeedconfigured', 'Placement configurations check pass'],
    ['PlacementSatisfied', 'False', 'NotAllDecisionsScheduled', 'the table of scores is broken'],
  ]);
});
