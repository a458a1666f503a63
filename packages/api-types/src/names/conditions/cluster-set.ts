import { ControllerName } from '../controllers.ts';
import { type ConditionTable, conditionReasonsOf, conditionTypesOf } from './condition-table.ts';

export const managedClusterSetConditionTable = {
  Empty: {
    type: 'ClusterSetEmpty',
    on: ['ManagedClusterSet'],
    owners: [ControllerName.ManagedClusterSet],
    meaning: 'No cluster is in the set.',
    reasons: { True: { NoClusterMatched: 'None.' }, False: { ClustersSelected: 'Some; the message counts them.' } },
  },
} as const satisfies ConditionTable;

export const managedClusterSetBindingConditionTable = {
  Bound: {
    type: 'Bound',
    on: ['ManagedClusterSetBinding'],
    owners: [ControllerName.ManagedClusterSetBinding],
    meaning: 'The set exists.',
    reasons: { True: { ClusterSetBound: 'It exists.' }, False: { ClusterSetNotFound: 'It does not exist.' } },
  },
} as const satisfies ConditionTable;

export const clusterProfileConditionTable = {
  ControlPlaneHealthy: {
    type: 'ControlPlaneHealthy',
    on: ['ClusterProfile'],
    owners: [ControllerName.ClusterProfileStatus],
    meaning: 'Copy of the condition Available of the ManagedCluster, with its reason.',
    reasons: {},
  },
  Joined: {
    type: 'Joined',
    on: ['ClusterProfile'],
    owners: [ControllerName.ClusterProfileStatus],
    meaning: 'Copy of the condition Joined of the ManagedCluster, with its reason.',
    reasons: {},
  },
} as const satisfies ConditionTable;

/** Condition types of ManagedClusterSet. */
export const ManagedClusterSetCondition = /* @__PURE__ */ conditionTypesOf(managedClusterSetConditionTable);

/** Reasons of ManagedClusterSet by condition. */
export const ManagedClusterSetReason = /* @__PURE__ */ conditionReasonsOf(managedClusterSetConditionTable);

/** Condition types of ManagedClusterSetBinding. */
export const ManagedClusterSetBindingCondition = /* @__PURE__ */ conditionTypesOf(
  managedClusterSetBindingConditionTable,
);

/** Reasons of ManagedClusterSetBinding by condition. */
export const ManagedClusterSetBindingReason = /* @__PURE__ */ conditionReasonsOf(
  managedClusterSetBindingConditionTable,
);

/** Condition types of ClusterProfile. */
export const ClusterProfileCondition = /* @__PURE__ */ conditionTypesOf(clusterProfileConditionTable);
