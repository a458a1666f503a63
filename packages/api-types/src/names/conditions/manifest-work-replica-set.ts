import { ControllerName } from '../controllers.ts';
import { type ConditionTable, conditionReasonsOf, conditionTypesOf } from './condition-table.ts';

const on = ['ManifestWorkReplicaSet'] as const;
const owners = [ControllerName.ManifestWorkReplicaSet];

export const manifestWorkReplicaSetConditionTable = {
  PlacementVerified: {
    type: 'PlacementVerified',
    on,
    owners,
    meaning: 'All placements exist and select clusters.',
    reasons: {
      True: { AsExpected: 'They do.' },
      False: {
        PlacementDecisionNotFound: 'A Placement does not exist.',
        PlacementDecisionEmpty: 'No cluster is selected.',
        NotAsExpected: 'The clusters of a placement cannot be read.',
      },
    },
  },
  PlacementRolledOut: {
    type: 'PlacementRolledOut',
    on,
    owners,
    meaning: 'The template succeeded on all selected clusters.',
    reasons: {
      True: { Complete: 'It did.' },
      False: { Progressing: 'It did not yet.' },
    },
  },
  ManifestworkApplied: {
    type: 'ManifestworkApplied',
    on,
    owners,
    meaning: 'All works that carry the template are available, and none progresses or is degraded.',
    reasons: {
      True: { AsExpected: 'They are.' },
      False: {
        Processing: 'Some progress, and none is degraded.',
        PlacementDecisionEmpty: 'No cluster is selected.',
        NotAsExpected: 'Some are not available, or degraded.',
        InvalidManifestWorkName: 'Names are too long for the labels of works. Not in OCM v1.3.',
      },
    },
  },
  ClustersFailed: {
    type: 'ClustersFailed',
    on,
    owners,
    meaning:
      'Works of the rollout failed; the message names clusters and causes. Not in OCM, and absent until there is one.',
    reasons: {
      True: {
        RolloutFailed: 'Some clusters failed, or were lost after they had got the template; the rollout goes on.',
        MaxFailuresExceeded: 'More clusters failed than maxFailures allows: no other cluster gets the template.',
        InvalidRolloutStrategy: 'The rollout strategy of a placement cannot be understood.',
        ClustersUnreachable:
          'Some clusters did not report to the hub before they got the template; the rollout does not wait for them.',
      },
      False: { NoClusterFailed: 'Works had failed, and none does any more.' },
    },
  },
  RemovalHeld: {
    type: 'RemovalHeld',
    on,
    owners,
    meaning:
      'Works stay on clusters that no decision names, because the decisions of a Placement name fewer clusters than its status. Not in OCM, and absent until that happens.',
    reasons: {
      True: { DecisionsMissing: 'Decisions are missing; the message names the Placement and both numbers.' },
      False: { NoRemovalHeld: 'Works were held, and none is any more.' },
    },
  },
} as const satisfies ConditionTable;

/** Condition types of ManifestWorkReplicaSet. */
export const ManifestWorkReplicaSetCondition = /* @__PURE__ */ conditionTypesOf(manifestWorkReplicaSetConditionTable);

/** Reasons of ManifestWorkReplicaSet by condition. */
export const ManifestWorkReplicaSetReason = /* @__PURE__ */ conditionReasonsOf(manifestWorkReplicaSetConditionTable);
