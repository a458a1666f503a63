import { ControllerName } from '../controllers.ts';
import { type ConditionTable, conditionReasonsOf, conditionTypesOf } from './condition-table.ts';

export const manifestWorkReplicaSetConditionTable = {
  PlacementVerified: {
    type: 'PlacementVerified',
    on: ['ManifestWorkReplicaSet'],
    owners: [ControllerName.ManifestWorkReplicaSet],
    meaning: 'The placements exist and select clusters.',
    reasons: {
      True: { AsExpected: 'They do.' },
      False: {
        PlacementDecisionNotFound: 'A placement does not exist.',
        PlacementDecisionEmpty: 'No cluster is selected.',
        NotAsExpected: 'Passing: works could not be generated.',
      },
    },
  },
  PlacementRolledOut: {
    type: 'PlacementRolledOut',
    on: ['ManifestWorkReplicaSet'],
    owners: [ControllerName.ManifestWorkReplicaSet],
    meaning: 'The works of all selected clusters succeeded.',
    reasons: {
      True: { Complete: 'All succeeded.' },
      False: { Progressing: 'Some have not.' },
    },
  },
  ManifestworkApplied: {
    type: 'ManifestworkApplied',
    on: ['ManifestWorkReplicaSet'],
    owners: [ControllerName.ManifestWorkReplicaSet],
    meaning: 'All generated works are available.',
    reasons: {
      True: { AsExpected: 'All are.' },
      False: {
        Processing: 'Some still progress.',
        PlacementDecisionEmpty: 'No cluster is selected.',
        NotAsExpected: 'Some are not available or degraded.',
      },
    },
  },
} as const satisfies ConditionTable;

/** Condition types of ManifestWorkReplicaSet. */
export const ManifestWorkReplicaSetCondition = /* @__PURE__ */ conditionTypesOf(manifestWorkReplicaSetConditionTable);

/** Reasons of ManifestWorkReplicaSet by condition. */
export const ManifestWorkReplicaSetReason = /* @__PURE__ */ conditionReasonsOf(manifestWorkReplicaSetConditionTable);
