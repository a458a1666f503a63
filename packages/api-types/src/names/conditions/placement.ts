import { ControllerName } from '../controllers.ts';
import { type ConditionTable, conditionReasonsOf, conditionTypesOf } from './condition-table.ts';

export const placementConditionTable = {
  Satisfied: {
    type: 'PlacementSatisfied',
    on: ['Placement'],
    owners: [ControllerName.Scheduling],
    meaning: 'As many clusters are selected as were asked for.',
    reasons: {
      True: { AllDecisionsScheduled: 'All are selected.' },
      False: {
        NoManagedClusterSetBindings: 'No existing set is bound to the namespace.',
        NoIntersection: 'None of the sets in the spec is bound to the namespace.',
        AllManagedClusterSetsEmpty: 'The sets have no clusters.',
        NoManagedClusterMatched: 'No cluster passes predicates and taints.',
        NotAllDecisionsScheduled: 'Fewer than asked for, or selecting failed.',
      },
    },
  },
  Misconfigured: {
    type: 'PlacementMisconfigured',
    on: ['Placement'],
    owners: [ControllerName.Scheduling],
    meaning: 'The spec cannot be carried out.',
    reasons: {
      True: { Misconfigured: 'The message names the part and the fault.' },
      False: { Succeedconfigured: 'Nothing is wrong with the spec.' },
    },
  },
} as const satisfies ConditionTable;

/** Condition types of Placement. */
export const PlacementCondition = /* @__PURE__ */ conditionTypesOf(placementConditionTable);

/** Reasons of Placement by condition. */
export const PlacementReason = /* @__PURE__ */ conditionReasonsOf(placementConditionTable);
