import { ControllerName } from '../controllers.ts';
import { type ConditionTable, conditionReasonsOf, conditionTypesOf } from './condition-table.ts';

export const managedClusterConditionTable = {
  HubAccepted: {
    type: 'HubAcceptedManagedCluster',
    on: ['ManagedCluster'],
    owners: [ControllerName.ManagedCluster],
    meaning: 'An administrator of the hub accepted the cluster.',
    reasons: {
      True: { HubClusterAdminAccepted: 'Accepted, and all that belongs to it is made.' },
      False: {
        HubClusterAdminDenied: 'Denied after having been accepted.',
        Error: 'Accepted, but its namespace or the permissions of its driver could not be made.',
      },
    },
  },
  HubDenied: {
    type: 'HubDeniedManagedCluster',
    on: ['ManagedCluster'],
    owners: [],
    meaning: 'Declared by OCM and never written.',
    reasons: {},
  },
  Joined: {
    type: 'ManagedClusterJoined',
    on: ['ManagedCluster'],
    owners: [ControllerName.ManagedClusterStatus],
    meaning: 'The agent works with its own credential; never taken back.',
    reasons: { True: { ManagedClusterJoined: 'Joined.' } },
  },
  Available: {
    type: 'ManagedClusterConditionAvailable',
    on: ['ManagedCluster'],
    owners: [ControllerName.ManagedClusterStatus, ControllerName.ManagedClusterLease],
    meaning: 'The API server of the cluster answers.',
    reasons: {
      True: { ManagedClusterAvailable: 'The agent saw its API server healthy.' },
      False: { ManagedClusterKubeAPIServerUnavailable: 'The agent saw its API server failing for a while.' },
      Unknown: { ManagedClusterLeaseUpdateStopped: 'The hub saw no heartbeat for five lease durations.' },
    },
  },
  ClockSynced: {
    type: 'ManagedClusterConditionClockSynced',
    on: ['ManagedCluster'],
    owners: [ControllerName.ClockSync],
    meaning: 'Clocks of hub and agent agree well enough for heartbeats.',
    reasons: {
      True: { ManagedClusterClockSynced: 'Within five lease durations.' },
      False: { ManagedClusterClockOutOfSync: 'Further apart.' },
    },
  },
  Deleting: {
    type: 'Deleting',
    on: ['ManagedCluster'],
    owners: [ControllerName.GarbageCollector],
    meaning: 'Nothing is left in the namespace of a deleted cluster.',
    reasons: {
      True: { NoResource: 'Nothing is left.' },
      False: {
        ResourceRemaining: 'Add-ons or works remain.',
        DeletingError: 'They could not be listed or deleted.',
      },
    },
  },
  ImportSucceeded: {
    type: 'ManagedClusterImportSucceeded',
    on: ['ManagedCluster'],
    owners: [ControllerName.Importer],
    meaning: 'The klusterlet was installed on the cluster by the hub.',
    reasons: {
      True: { ImportSucceed: 'Installed.' },
      False: {
        KubeConfigGetFailed: 'The kubeconfig of the cluster could not be read.',
        KubeConfigNotFound: 'There is no kubeconfig of the cluster yet.',
        ConfigRendererFailed: 'The klusterlet could not be rendered.',
        ImportFailed: 'The klusterlet could not be applied.',
      },
    },
  },
  CertificateRotated: {
    type: 'ClusterCertificateRotated',
    on: ['ManagedCluster'],
    owners: [ControllerName.Register.template],
    meaning: 'The agent got its latest client certificate.',
    reasons: {
      True: { ClientCertificateUpdated: 'A new certificate is stored.' },
      False: { ClientCertificateUpdateFailed: 'A request failed, or too many are pending.' },
    },
  },
} as const satisfies ConditionTable;

export const managedNamespaceConditionTable = {
  Available: {
    type: 'NamespaceAvailable',
    on: ['ManagedCluster'],
    owners: [ControllerName.ManagedClusterStatus],
    meaning: 'In status.managedNamespaces: the namespace exists on the cluster and is labelled.',
    reasons: {
      True: { NamespaceApplied: 'Applied.' },
      False: { NamespaceApplyFailed: 'Not applied.' },
    },
  },
} as const satisfies ConditionTable;

/** Condition types of ManagedCluster. */
export const ManagedClusterCondition = /* @__PURE__ */ conditionTypesOf(managedClusterConditionTable);

/** Reasons of ManagedCluster by condition. */
export const ManagedClusterReason = /* @__PURE__ */ conditionReasonsOf(managedClusterConditionTable);

/** Condition types of the entries of status.managedNamespaces of ManagedCluster. */
export const ManagedNamespaceCondition = /* @__PURE__ */ conditionTypesOf(managedNamespaceConditionTable);

/** Reasons of managed namespaces by condition. */
export const ManagedNamespaceReason = /* @__PURE__ */ conditionReasonsOf(managedNamespaceConditionTable);
