import { OperatorControllerName } from '../controllers.ts';
import { type ConditionTable, conditionReasonsOf, conditionTypesOf } from './condition-table.ts';

export const clusterManagerConditionTable = {
  Applied: {
    type: 'Applied',
    on: ['ClusterManager'],
    owners: [OperatorControllerName.ClusterManager],
    meaning: 'The components of the hub are applied.',
    reasons: {
      True: { ClusterManagerApplied: 'They are; webhooks may still wait.' },
      False: {
        CRDApplyFailed: 'A CRD could not be applied.',
        HubResourceApplyFailed: 'RBAC, a secret or a service on the hub could not be applied.',
        RuntimeResourceApplyFailed: 'A deployment could not be applied.',
        ServiceAccountSyncFailed: 'A kubeconfig of a hosted component could not be made.',
        WebhookApplyFailed: 'A webhook configuration could not be applied.',
      },
    },
  },
  Progressing: {
    type: 'Progressing',
    on: ['ClusterManager'],
    owners: [OperatorControllerName.ClusterManager],
    meaning: 'A deployment is rolling.',
    reasons: {
      True: { ClusterManagerDeploymentRolling: 'One is.' },
      False: { ClusterManagerUpToDate: 'None is.' },
    },
  },
  HubRegistrationDegraded: {
    type: 'HubRegistrationDegraded',
    on: ['ClusterManager'],
    owners: [OperatorControllerName.ClusterManagerStatus],
    meaning: 'Registration on the hub lacks pods.',
    reasons: {
      True: {
        GetRegistrationDeploymentFailed: 'A deployment could not be read.',
        UnavailableRegistrationPod: 'Pods are missing.',
      },
      False: { RegistrationFunctional: 'All pods are there.' },
    },
  },
  HubPlacementDegraded: {
    type: 'HubPlacementDegraded',
    on: ['ClusterManager'],
    owners: [OperatorControllerName.ClusterManagerStatus],
    meaning: 'Placement on the hub lacks pods.',
    reasons: {
      True: {
        GetPlacementDeploymentFailed: 'The deployment could not be read.',
        UnavailablePlacementPod: 'Pods are missing.',
      },
      False: { PlacementFunctional: 'All pods are there.' },
    },
  },
  ValidFeatureGates: {
    type: 'ValidFeatureGates',
    on: ['ClusterManager'],
    owners: [OperatorControllerName.ClusterManager],
    meaning: 'All feature gates in the spec are known.',
    reasons: {
      True: { FeatureGatesAllValid: 'All are.' },
      False: { InvalidFeatureGatesExisting: 'The message lists those that are not; they are ignored.' },
    },
  },
  MigrationSucceeded: {
    type: 'MigrationSucceeded',
    on: ['ClusterManager'],
    owners: [OperatorControllerName.CrdMigration],
    meaning: 'Stored objects are in the current version. Never written in v1.3, which migrates nothing.',
    reasons: {
      True: { StorageVersionMigrationSucceed: 'They are.' },
      False: {
        StorageVersionMigrationFailed: 'Not supported by the cluster, or failed.',
        StorageVersionMigrationProcessing: 'They are being moved.',
      },
    },
  },
} as const satisfies ConditionTable;

/** Condition types of ClusterManager. */
export const ClusterManagerCondition = /* @__PURE__ */ conditionTypesOf(clusterManagerConditionTable);

/** Reasons of ClusterManager by condition. */
export const ClusterManagerReason = /* @__PURE__ */ conditionReasonsOf(clusterManagerConditionTable);
