import { AddOnControllerName, ControllerName } from '../controllers.ts';
import { type ConditionTable, conditionReasonsOf, conditionTypesOf } from './condition-table.ts';

const manifestApplied = {
  True: { AddonManifestApplied: 'The works are applied, or there is nothing to apply.' },
  False: {
    ManifestWorkApplyFailed: 'The works could not be rendered or written.',
    AddonManifestAppliedFailed: 'The agent of the cluster could not apply them.',
  },
} as const;

export const managedClusterAddOnConditionTable = {
  Available: {
    type: 'Available',
    on: ['ManagedClusterAddOn'],
    owners: [ControllerName.AddOnLease, AddOnControllerName.Deploy, ControllerName.AddOnHealthCheck],
    meaning: 'The agent of the add-on works. While the cluster is unknown its reason is copied here.',
    reasons: {
      True: {
        ManagedClusterAddOnLeaseUpdated: 'Its lease is fresh.',
        WorkApplied: 'Its works are applied and that is all there is to know.',
        ProbeAvailable: 'Its workloads are healthy.',
      },
      False: {
        ManagedClusterAddOnLeaseUpdateStopped: 'Its lease is old.',
        WorkNotApplied: 'Its works are not available.',
        ProbeUnavailable: 'Its workloads are not healthy.',
      },
      Unknown: {
        ManagedClusterAddOnLeaseNotFound: 'It has no lease.',
        WorkNotFound: 'It has no works.',
        WorkNotApplied: 'Its works are not applied yet.',
        NoProbeResult: 'Nothing is known of its workloads yet.',
      },
    },
  },
  Configured: {
    type: 'Configured',
    on: ['ManagedClusterAddOn'],
    owners: [AddOnControllerName.Configuration],
    meaning: 'The configurations that the add-on should have now are in its status.',
    reasons: {
      True: { ConfigurationsConfigured: 'They are.' },
      False: { ConfigurationsNotConfigured: 'The rollout has not come to this cluster yet.' },
    },
  },
  Progressing: {
    type: 'Progressing',
    on: ['ManagedClusterAddOn'],
    owners: [AddOnControllerName.Progressing],
    meaning: 'The latest configuration is on its way to the cluster.',
    reasons: {
      True: { Progressing: 'On its way.' },
      False: {
        Completed: 'It has arrived.',
        Failed: 'The works could not be listed.',
        ConfigurationUnsupported: 'The add-on does not know a kind of configuration that it was given.',
        WaitingForManifestApplied: 'Nothing was deployed yet.',
        WaitingForHostingManifestApplied: 'Nothing was deployed on the hosting cluster yet.',
      },
    },
  },
  Degraded: {
    type: 'Degraded',
    on: ['ManagedClusterAddOn'],
    owners: [],
    meaning: 'Left to the code of add-ons, with reasons of their own.',
    reasons: {},
  },
  ManifestApplied: {
    type: 'ManifestApplied',
    on: ['ManagedClusterAddOn'],
    owners: [AddOnControllerName.Deploy],
    meaning: 'The manifests are applied on the managed cluster.',
    reasons: manifestApplied,
  },
  HostingManifestApplied: {
    type: 'HostingManifestApplied',
    on: ['ManagedClusterAddOn'],
    owners: [AddOnControllerName.Deploy],
    meaning: 'The manifests are applied on the hosting cluster.',
    reasons: manifestApplied,
  },
  HookManifestCompleted: {
    type: 'HookManifestCompleted',
    on: ['ManagedClusterAddOn'],
    owners: [AddOnControllerName.Deploy],
    meaning: 'The pre-delete hook is done.',
    reasons: {
      True: { HookManifestIsCompleted: 'Done.' },
      False: { HookManifestIsNotCompleted: 'Not done.' },
    },
  },
  HostingClusterValidity: {
    type: 'HostingClusterValidity',
    on: ['ManagedClusterAddOn'],
    owners: [AddOnControllerName.Deploy],
    meaning: 'The hosting cluster is a managed cluster of this hub.',
    reasons: {
      True: { HostingClusterValid: 'It is.' },
      False: { HostingClusterInvalid: 'It is not.' },
    },
  },
  RegistrationApplied: {
    type: 'RegistrationApplied',
    on: ['ManagedClusterAddOn'],
    owners: [AddOnControllerName.Registration],
    meaning: 'The add-on has its rights on the hub. Any status lets it be deployed.',
    reasons: {
      True: {
        NilRegistration: 'It needs none.',
        SetPermissionApplied: 'They are set.',
      },
      False: {
        SetPermissionFailed: 'They could not be set.',
        PermissionConfigPending: 'The subject to bind is not known yet.',
      },
    },
  },
  TokenInfrastructureReady: {
    type: 'TokenInfrastructureReady',
    on: ['ManagedClusterAddOn'],
    owners: [AddOnControllerName.TokenInfrastructure],
    meaning: 'The service account is there; agents read its UID in the message.',
    reasons: {
      True: { TokenInfrastructureReady: 'It is.' },
      False: { TokenInfrastructureApplyFailed: 'It could not be made.' },
    },
  },
  TokenRefreshed: {
    type: 'TokenRefreshed',
    on: ['ManagedClusterAddOn'],
    owners: [ControllerName.AddOnClientCert.template],
    meaning: 'The agent got its latest token for the add-on.',
    reasons: {
      True: { AddonTokenRefreshed: 'A new token is stored.' },
      False: { TokenCreationFailed: 'No token was given.' },
    },
  },
  CertificateRotated: {
    type: 'ClusterCertificateRotated',
    on: ['ManagedClusterAddOn'],
    owners: [ControllerName.AddOnClientCert.template],
    meaning: 'The agent got its latest certificate for the add-on.',
    reasons: {
      True: { ClientCertificateUpdated: 'A new certificate is stored.' },
      False: { ClientCertificateUpdateFailed: 'A request failed, or too many are pending.' },
    },
  },
  Stalled: {
    type: 'Stalled',
    on: ['ClusterManagementAddOn'],
    owners: [AddOnControllerName.Configuration],
    meaning:
      'In status.installProgressions: no other cluster of the Placement gets its configuration, because of clusters that failed; the message names them. Not in OCM, and absent until that happens.',
    reasons: {
      True: { MaxFailuresExceeded: 'More clusters failed than maxFailures allows.' },
      False: { NotStalled: 'The rollout was stalled, and is not any more.' },
    },
  },
  RemovalHeld: {
    type: 'RemovalHeld',
    on: ['ClusterManagementAddOn'],
    owners: [AddOnControllerName.Configuration],
    meaning:
      'In status.installProgressions: add-ons stay on clusters that no Placement selects, because the decisions of this one name fewer clusters than its status. Not in OCM, and absent until that happens.',
    reasons: {
      True: { DecisionsMissing: 'Decisions are missing; the message has both numbers.' },
      False: { NoRemovalHeld: 'Add-ons were held, and none is any more.' },
    },
  },
} as const satisfies ConditionTable;

/** Condition types of ManagedClusterAddOn. */
export const ManagedClusterAddOnCondition = /* @__PURE__ */ conditionTypesOf(managedClusterAddOnConditionTable);

/** Reasons of ManagedClusterAddOn by condition. */
export const ManagedClusterAddOnReason = /* @__PURE__ */ conditionReasonsOf(managedClusterAddOnConditionTable);
