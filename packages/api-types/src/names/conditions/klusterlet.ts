import { ControllerName } from '../controllers.ts';
import { type ConditionTable, conditionReasonsOf, conditionTypesOf } from './condition-table.ts';

export const klusterletConditionTable = {
  Applied: {
    type: 'Applied',
    on: ['Klusterlet'],
    owners: [ControllerName.Klusterlet],
    meaning: 'All objects of the agents are applied.',
    reasons: {
      True: { KlusterletApplied: 'Applied.' },
      False: {
        CRDApplyFailed: 'A definition could not be applied on the managed cluster.',
        ManagedClusterResourceApplyFailed: 'An object could not be applied on the managed cluster.',
        ManagementClusterResourceApplyFailed: 'An object could not be applied where the agents run.',
        KlusterletApplyFailed: 'The spec cannot be carried out, or a namespace, kubeconfig or Deployment failed.',
      },
    },
  },
  ReadyToApply: {
    type: 'ReadyToApply',
    on: ['Klusterlet'],
    owners: [ControllerName.Klusterlet],
    meaning: 'A hosted klusterlet has what it reaches its managed cluster by.',
    reasons: {
      True: { KlusterletPrepared: 'The kubeconfig of the managed cluster is there.' },
      False: { KlusterletPrepareFailed: 'The kubeconfig is missing or cannot be read.' },
    },
  },
  ValidFeatureGates: {
    type: 'ValidFeatureGates',
    on: ['Klusterlet'],
    owners: [ControllerName.Klusterlet],
    meaning: 'All feature gates in the spec exist.',
    reasons: {
      True: { FeatureGatesAllValid: 'They exist.' },
      False: { InvalidFeatureGatesExisting: 'Some do not, and are ignored.' },
    },
  },
  Available: {
    type: 'Available',
    on: ['Klusterlet'],
    owners: [ControllerName.KlusterletStatus],
    meaning: 'Each agent has a pod that works.',
    reasons: {
      True: { KlusterletAvailable: 'It has.' },
      False: {
        GetDeploymentFailed: 'A Deployment of the agents does not exist.',
        NoAvailablePods: 'A Deployment of the agents has no available pod.',
      },
    },
  },
  RegistrationDesiredDegraded: {
    type: 'RegistrationDesiredDegraded',
    on: ['Klusterlet'],
    owners: [ControllerName.KlusterletStatus],
    meaning: 'The registration agent has fewer pods than it should.',
    reasons: {
      True: { GetDeploymentFailed: 'Its Deployment does not exist.', UnavailablePods: 'Some pods are not available.' },
      False: { DeploymentsFunctional: 'All pods are available.' },
    },
  },
  WorkDesiredDegraded: {
    type: 'WorkDesiredDegraded',
    on: ['Klusterlet'],
    owners: [ControllerName.KlusterletStatus],
    meaning: 'The work agent has fewer pods than it should.',
    reasons: {
      True: { GetDeploymentFailed: 'Its Deployment does not exist.', UnavailablePods: 'Some pods are not available.' },
      False: { DeploymentsFunctional: 'All pods are available.' },
    },
  },
  HubConnectionDegraded: {
    type: 'HubConnectionDegraded',
    on: ['Klusterlet'],
    owners: [ControllerName.KlusterletHubConnection],
    meaning:
      'The agents cannot work with the hub. The reason has two parts: the bootstrap Secret, and the credentials of the agents.',
    reasons: {
      True: {
        BootstrapSecretMissing: 'There is no bootstrap Secret.',
        BootstrapSecretError: 'No hub is reached by it.',
        BootstrapSecretUnauthorized: 'The hub does not permit to register by it.',
        BootstrapSecretFunctional: 'It works.',
        HubKubeConfigSecretMissing: 'There is no Secret for the credentials of the agents.',
        HubKubeConfigMissing: 'The Secret has no credentials yet: the hub has not accepted the cluster.',
        HubKubeConfigError: 'No hub is reached by the credentials.',
        ClusterNameMissing: 'The name of the cluster is not known.',
        HubKubeConfigUnauthorized: 'The hub does not permit what the agents do.',
      },
      False: { HubConnectionFunctional: 'The hub permits all that the agents do.' },
    },
  },
} as const satisfies ConditionTable;

/** Condition types of Klusterlet. */
export const KlusterletCondition = /* @__PURE__ */ conditionTypesOf(klusterletConditionTable);

/** Reasons of Klusterlet by condition. */
export const KlusterletReason = /* @__PURE__ */ conditionReasonsOf(klusterletConditionTable);
