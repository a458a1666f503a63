import { OperatorControllerName } from '../controllers.ts';
import { type ConditionTable, conditionReasonsOf, conditionTypesOf } from './condition-table.ts';

const desiredDegraded = {
  True: { GetDeploymentFailed: 'The deployment could not be read.', UnavailablePods: 'Pods are missing.' },
  False: { DeploymentsFunctional: 'All pods are there.' },
} as const;

export const klusterletConditionTable = {
  Applied: {
    type: 'Applied',
    on: ['Klusterlet'],
    owners: [OperatorControllerName.Klusterlet],
    meaning: 'The agents are applied.',
    reasons: {
      True: { KlusterletApplied: 'They are.' },
      False: {
        CRDApplyFailed: 'A CRD could not be applied.',
        KlusterletApplyFailed: 'A namespace, secret or kubeconfig could not be made, or the cluster has no name yet.',
        ManagedClusterResourceApplyFailed: 'Something on the managed cluster could not be applied.',
        ManagementClusterResourceApplyFailed: 'Something on the management cluster could not be applied.',
      },
    },
  },
  ReadyToApply: {
    type: 'ReadyToApply',
    on: ['Klusterlet'],
    owners: [OperatorControllerName.Klusterlet],
    meaning: 'Hosted: the kubeconfig of the managed cluster is there.',
    reasons: {
      True: { KlusterletPrepared: 'It is.' },
      False: { KlusterletPrepareFailed: 'It is missing or of no use.' },
    },
  },
  Available: {
    type: 'Available',
    on: ['Klusterlet'],
    owners: [OperatorControllerName.KlusterletStatus],
    meaning: 'Each agent has a pod.',
    reasons: {
      True: { KlusterletAvailable: 'Each has.' },
      False: { GetDeploymentFailed: 'A deployment could not be read.', NoAvailablePods: 'An agent has none.' },
    },
  },
  RegistrationDesiredDegraded: {
    type: 'RegistrationDesiredDegraded',
    on: ['Klusterlet'],
    owners: [OperatorControllerName.KlusterletStatus],
    meaning: 'The registration agent lacks pods.',
    reasons: desiredDegraded,
  },
  WorkDesiredDegraded: {
    type: 'WorkDesiredDegraded',
    on: ['Klusterlet'],
    owners: [OperatorControllerName.KlusterletStatus],
    meaning: 'The work agent lacks pods.',
    reasons: desiredDegraded,
  },
  HubConnectionDegraded: {
    type: 'HubConnectionDegraded',
    on: ['Klusterlet'],
    owners: [OperatorControllerName.KlusterletSsar],
    meaning:
      'The credential does not open the hub. When True the reason is that of the bootstrap secret, a comma, this one.',
    reasons: {
      True: {
        HubKubeConfigSecretMissing: 'There is no secret.',
        HubKubeConfigMissing: 'The secret has no kubeconfig yet: the request is not approved.',
        HubKubeConfigError: 'The kubeconfig is of no use.',
        ClusterNameMissing: 'The cluster has no name yet.',
        HubKubeConfigUnauthorized: 'The hub denies something that the agents need.',
      },
      False: { HubConnectionFunctional: 'It does.' },
    },
  },
  ValidFeatureGates: {
    type: 'ValidFeatureGates',
    on: ['Klusterlet'],
    owners: [OperatorControllerName.Klusterlet],
    meaning: 'All feature gates in the spec are known.',
    reasons: {
      True: { FeatureGatesAllValid: 'All are.' },
      False: { InvalidFeatureGatesExisting: 'The message lists those that are not; they are ignored.' },
    },
  },
} as const satisfies ConditionTable;

/** What the klusterlet operator found about the bootstrap secret. */
export const bootstrapSecretReasons = {
  BootstrapSecretMissing: 'There is no bootstrap secret.',
  BootstrapSecretError: 'Its kubeconfig is of no use.',
  BootstrapSecretUnauthorized: 'The hub denies something that joining needs.',
  BootstrapSecretFunctional: 'It allows joining.',
} as const;

/** A finding about the bootstrap secret. */
export type BootstrapSecretReason = keyof typeof bootstrapSecretReasons;

/** A finding about the credential of the agents that makes the connection degraded. */
export type HubKubeconfigReason = keyof (typeof klusterletConditionTable)['HubConnectionDegraded']['reasons']['True'];

/** The reason of HubConnectionDegraded when True. */
export const hubConnectionDegradedReason = (bootstrap: BootstrapSecretReason, hub: HubKubeconfigReason): string =>
  `${bootstrap},${hub}`;

/** Condition types of Klusterlet. */
export const KlusterletCondition = /* @__PURE__ */ conditionTypesOf(klusterletConditionTable);

/** Reasons of Klusterlet by condition. */
export const KlusterletReason = /* @__PURE__ */ conditionReasonsOf(klusterletConditionTable);
