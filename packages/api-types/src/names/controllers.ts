import { composed } from './composed.ts';
import { constantsOf, type NameTable } from './name-table.ts';

export const controllerTable = {
  ManagedCluster: {
    value: 'ManagedClusterController',
    on: ['ManagedCluster'],
    meaning: 'Hub: accepts and denies clusters and keeps their RBAC.',
  },
  Taint: { value: 'taintController', on: ['ManagedCluster'], meaning: 'Hub: taints clusters by availability.' },
  CsrApproving: {
    value: 'CSRApprovingController',
    on: ['CertificateSigningRequest'],
    meaning: 'Hub: approves requests of agents; one for each driver that has requests.',
  },
  CsrSigning: { value: 'CSRSignController', on: ['CertificateSigningRequest'], meaning: 'Hub: signs for gRPC.' },
  ManagedClusterLease: {
    value: 'ManagedClusterLeaseController',
    on: ['ManagedCluster', 'Lease'],
    meaning: 'Hub: notices that a heartbeat stopped. Agent: renews it.',
  },
  ClockSync: { value: 'ClockSyncController', on: ['ManagedCluster'], meaning: 'Hub: compares clocks by heartbeats.' },
  ManagedClusterSet: {
    value: 'managed-clusterset-controller',
    on: ['ManagedClusterSet'],
    meaning: 'Hub: counts members of sets.',
  },
  ManagedNamespace: {
    value: 'managed-namespace-controller',
    on: ['ManagedCluster'],
    meaning: 'Hub: lists the namespaces that sets manage on a cluster.',
  },
  ManagedClusterSetBinding: {
    value: 'managed-clusterset-binding-controller',
    on: ['ManagedClusterSetBinding'],
    meaning: 'Hub: says whether the bound set exists.',
  },
  ManagedClusterClusterRole: {
    value: 'ManagedClusterClusterRoleController',
    on: ['ClusterRole'],
    meaning: 'Hub: keeps the roles that all clusters share.',
  },
  AddOnHealthCheck: {
    value: 'ManagedClusterAddonHealthCheckController',
    on: ['ManagedClusterAddOn'],
    meaning: 'Hub: add-ons of a lost cluster become unknown.',
  },
  AddOnFeatureDiscovery: {
    value: 'AddOnFeatureDiscoveryController',
    on: ['ManagedCluster'],
    meaning: 'Hub: labels clusters by the health of their add-ons.',
  },
  DefaultManagedClusterSet: {
    value: 'DefaultManagedClusterSetController',
    on: ['ManagedClusterSet'],
    meaning: 'Hub: keeps the set default.',
  },
  GlobalManagedClusterSet: {
    value: 'GlobalManagedClusterSetController',
    on: ['ManagedClusterSet'],
    meaning: 'Hub: keeps the set global.',
  },
  ClusterProfileLifecycle: {
    value: 'ClusterProfileLifecycleController',
    on: ['ClusterProfile'],
    meaning: 'Hub: creates and deletes profiles of bound clusters.',
  },
  ClusterProfileStatus: {
    value: 'ClusterProfileStatusController',
    on: ['ClusterProfile'],
    meaning: 'Hub: fills profiles.',
  },
  Importer: { value: 'managed-cluster-importer', on: ['ManagedCluster'], meaning: 'Hub: installs klusterlets.' },
  GarbageCollector: { value: 'GCController', on: ['ManagedCluster'], meaning: 'Hub: empties removed clusters.' },
  ManagedClusterCreating: {
    value: 'ManagedClusterCreatingController',
    on: ['ManagedCluster'],
    meaning: 'Agent: creates its cluster while bootstrapping.',
  },
  Bootstrap: composed('BootstrapController@cluster:{cluster}', ['Secret'], 'Agent: gets the first credential.'),
  Register: composed('RegisterController@cluster:{cluster}', ['Secret'], 'Agent: renews the credential.'),
  HubKubeconfigSecret: {
    value: 'HubKubeconfigSecretController',
    on: ['Secret'],
    meaning: 'Agent: writes the credential to disk.',
  },
  ManagedClusterStatus: {
    value: 'ManagedClusterStatusController',
    on: ['ManagedCluster'],
    meaning: 'Agent: reports availability, version, resources and claims.',
  },
  HubAccept: { value: 'HubAcceptController', on: ['ManagedCluster'], meaning: 'Agent: leaves a hub that denies it.' },
  HubTimeout: { value: 'HubTimeoutController', on: ['Lease'], meaning: 'Agent: leaves a hub that does not answer.' },
  Klusterlet: { value: 'KlusterletController', on: ['Klusterlet'], meaning: 'Operator: installs and removes agents.' },
  KlusterletStatus: {
    value: 'KlusterletStatusController',
    on: ['Klusterlet'],
    meaning: 'Operator: reports whether agents run.',
  },
  KlusterletHubConnection: {
    value: 'KlusterletSSARController',
    on: ['Klusterlet'],
    meaning: 'Operator: reports whether agents may work with their hub.',
  },
  AddOnNamespaceCopies: {
    value: 'AddonPullImageSecretController',
    on: ['Namespace'],
    meaning: 'Operator: copies the pull secret and the TLS profile into namespaces of add-ons.',
  },
  AddOnRegistration: {
    value: 'AddOnRegistrationController',
    on: ['ManagedClusterAddOn'],
    meaning: 'Agent: gets credentials for add-ons.',
  },
  AddOnClientCert: composed(
    'ClientCertController@addon:{addOn}:type:{registrationType}',
    ['Secret'],
    'Agent: one credential of an add-on.',
  ),
  AddOnLease: {
    value: 'ManagedClusterAddOnLeaseController',
    on: ['ManagedClusterAddOn', 'Lease'],
    meaning: 'Agent: reports the health of add-ons by their leases.',
  },
  Scheduling: { value: 'SchedulingController', on: ['Placement'], meaning: 'Hub: selects clusters.' },
  PlacementDebug: {
    value: 'PlacementDebugController',
    on: ['Placement'],
    meaning: 'Hub: follows the fleet to explain placements.',
  },
  ManifestWork: { value: 'ManifestWorkController', on: ['ManifestWork'], meaning: 'Agent: applies works.' },
  ManifestWorkAddFinalizer: {
    value: 'ManifestWorkAddFinalizerController',
    on: ['ManifestWork'],
    meaning: 'Agent: holds works until they are cleaned up.',
  },
  AvailableStatus: {
    value: 'AvailableStatusController',
    on: ['ManifestWork'],
    meaning: 'Agent: reports existence, feedback and condition rules.',
  },
  ManifestWorkFinalize: {
    value: 'ManifestWorkFinalizer',
    on: ['ManifestWork'],
    meaning: 'Agent: removes what a deleted work applied.',
  },
  AppliedManifestWorkFinalize: {
    value: 'AppliedManifestWorkFinalizer',
    on: ['AppliedManifestWork'],
    meaning: 'Agent: deletes applied objects.',
  },
  UnmanagedAppliedWork: {
    value: 'UnManagedAppliedManifestWork',
    on: ['AppliedManifestWork'],
    meaning: 'Agent: evicts what no hub asks for any more.',
  },
  ManifestWorkGarbageCollection: {
    value: 'ManifestWorkGarbageCollectionController',
    on: ['ManifestWork'],
    meaning: 'Hub: deletes completed works after their time to live.',
  },
  ManifestWorkReplicaSet: {
    value: 'ManifestWorkReplicaSetController',
    on: ['ManifestWorkReplicaSet'],
    meaning: 'Hub: generates works by placements.',
  },
  ManifestWorkReplicaSetRevision: {
    value: 'ManifestWorkReplicaSetRevisionController',
    on: ['ManifestWorkReplicaSet', 'ControllerRevision'],
    meaning: 'Hub: keeps the templates of replica sets. Not in OCM.',
  },
  ExecutorCache: {
    value: 'ManifestWorkExecutorCache',
    on: ['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'],
    meaning: 'Agent: forgets what executors may do when RBAC changes.',
  },
} as const satisfies NameTable;

export const addOnControllerTable = {
  Management: {
    value: 'addon-management-controller',
    on: ['ClusterManagementAddOn'],
    meaning: 'Installs by placement.',
  },
  Configuration: {
    value: 'addon-configuration-controller',
    on: ['ClusterManagementAddOn', 'ManagedClusterAddOn'],
    meaning: 'Rolls configurations out.',
  },
  Owner: { value: 'addon-owner-controller', on: ['ManagedClusterAddOn'], meaning: 'Sets the owner of add-ons.' },
  Progressing: {
    value: 'addon-progressing-controller',
    on: ['ManagedClusterAddOn'],
    meaning: 'Says whether a configuration has arrived.',
  },
  InstallProgression: {
    value: 'cma-install-progression-controller',
    on: ['ClusterManagementAddOn'],
    meaning: 'Computes the configurations of each placement.',
  },
  Annotation: {
    value: 'addon-annotation-controller',
    on: ['ManagedClusterAddOn'],
    meaning: 'Copies annotations of clusters to add-ons.',
  },
  Template: {
    value: 'addon-template-controller',
    on: ['ClusterManagementAddOn'],
    meaning: 'Runs a manager for each template add-on.',
  },
  TokenInfrastructure: {
    value: 'addon-token-infrastructure-controller',
    on: ['ManagedClusterAddOn'],
    meaning: 'Makes service accounts for add-ons that register by token.',
  },
  Deploy: { value: 'addon-deploy-controller', on: ['ManagedClusterAddOn'], meaning: 'Renders and deploys an add-on.' },
  Registration: {
    value: 'addon-registration-controller',
    on: ['ManagedClusterAddOn'],
    meaning: 'Declares how an add-on registers, gives it rights on the hub and observes its configurations.',
  },
  ManagementConfig: {
    value: 'management-addon-config-controller',
    on: ['ClusterManagementAddOn'],
    meaning: 'Hashes the configurations of an add-on.',
  },
} as const satisfies NameTable;

/** Controllers of registration, work and placement: names of queues in metrics. */
export const ControllerName = /* @__PURE__ */ constantsOf(controllerTable);

/** Controllers of the add-on manager and the add-on SDK. */
export const AddOnControllerName = /* @__PURE__ */ constantsOf(addOnControllerTable);
