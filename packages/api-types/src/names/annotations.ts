import { constantsOf, type NameTable } from './name-table.ts';

export const annotationTable = {
  AutomaticallyAcceptedOn: {
    value: 'open-cluster-management.io/automatically-accepted-on',
    on: ['ManagedCluster'],
    meaning: 'When the hub accepted the cluster by itself; while it is there the hub does not do so again.',
  },
  DuplicateIdentity: {
    value: 'operator.open-cluster-management.io/duplicate-identity',
    on: ['ClusterManager'],
    meaning: 'What the hub does about a second name of one cluster: refuse, warn or allow; warn if unset. Not in OCM.',
  },
  ClusterIdentity: {
    value: 'agent.open-cluster-management.io/cluster-identity',
    on: ['ManagedCluster', 'CertificateSigningRequest'],
    meaning:
      'Uid of the namespace kube-system of the cluster that has the name, or asks for its certificate. Not in OCM.',
  },
  RenewalWithheld: {
    value: 'open-cluster-management.io/renewal-withheld',
    on: ['ManagedCluster'],
    meaning:
      'With value "true": the hub approves no further certificate of the cluster; the one in use stays valid until it ends. Not in OCM.',
  },
  ManagedClusterArn: {
    value: 'agent.open-cluster-management.io/managed-cluster-arn',
    on: ['ManagedCluster'],
    meaning: 'EKS ARN of the cluster; present with the role suffix it selects the awsirsa driver.',
  },
  ManagedClusterIamRoleSuffix: {
    value: 'agent.open-cluster-management.io/managed-cluster-iam-role-suffix',
    on: ['ManagedCluster'],
    meaning: 'Hash of both EKS clusters that ends the names of their IAM roles.',
  },
  ClusterApiCluster: {
    value: 'cluster.x-k8s.io/cluster',
    on: ['ManagedCluster'],
    meaning: 'The Cluster API object to import from, as namespace/name.',
  },
  ImageRegistries: {
    value: 'open-cluster-management.io/image-registries',
    on: ['ManagedCluster'],
    meaning: 'JSON list of image registries and their mirrors for add-on agents.',
  },
  CleanupPriority: {
    value: 'open-cluster-management.io/cleanup-priority',
    on: ['ManagedClusterAddOn', 'ManifestWork'],
    meaning: 'From 0 to 100; smaller goes first when a cluster is removed.',
  },
  AutoUpdate: {
    value: 'cluster.open-cluster-management.io/autoupdate',
    on: ['ManagedClusterSet'],
    meaning: 'With value "false": the hub leaves the selector of a built-in set as it is.',
  },
  SchedulingDisabled: {
    value: 'cluster.open-cluster-management.io/experimental-scheduling-disable',
    on: ['Placement'],
    meaning: 'With value "true": the placement controller leaves the Placement alone.',
  },
  CsrUser: {
    value: 'open-cluster-management.io/csr-user',
    on: ['CertificateSigningRequest'],
    meaning: 'The user behind a request that the gRPC server created; believe it only from that service account.',
  },
  CsrGroups: {
    value: 'open-cluster-management.io/csr-groups',
    on: ['CertificateSigningRequest'],
    meaning: 'The bootstrap groups of that user, separated by commas; believe it only from that service account.',
  },
  ConfigSpecHash: {
    value: 'open-cluster-management.io/config-spec-hash',
    on: ['ManifestWork', '*'],
    meaning: 'On works of add-ons the hashes of their configurations; on applied objects the hash behind ignoreFields.',
  },
  ObjectHash: {
    value: 'open-cluster-management.io/object-hash',
    on: ['*'],
    meaning: 'Declared by OCM and never written.',
  },
  SpecHash: {
    value: 'operator.openshift.io/spec-hash',
    on: ['Deployment', 'Service', '*'],
    meaning: 'SHA-256 of the spec that was last applied.',
  },
  CloudEventsDataType: {
    value: 'cloudevents.open-cluster-management.io/datatype',
    on: ['ManifestWork'],
    meaning: 'CloudEvents data type that the work arrived as.',
  },
  CloudEventsResourceVersion: {
    value: 'cloudevents.open-cluster-management.io/resourceversion',
    on: ['ManifestWork'],
    meaning: 'Version that a CloudEvents source gives to the work.',
  },
  CloudEventsSequenceId: {
    value: 'cloudevents.open-cluster-management.io/sequenceid',
    on: ['ManifestWork'],
    meaning: 'Sequence of the last status that a CloudEvents source has seen.',
  },
  LogOperationId: {
    value: 'logging.open-cluster-management.io/op-id',
    on: ['ManifestWork'],
    meaning: 'Identifies one operation in the logs of all components; any key of its prefix is carried along.',
  },
  AddOnLifecycle: {
    value: 'addon.open-cluster-management.io/lifecycle',
    on: ['ClusterManagementAddOn'],
    meaning: 'Who installs and configures the add-on; absent means the add-on manager.',
  },
  HostingClusterName: {
    value: 'addon.open-cluster-management.io/hosting-cluster-name',
    on: ['ManagedClusterAddOn', 'ManagedCluster'],
    meaning: 'The managed cluster on which the agent of the add-on runs, if it is not the cluster itself.',
  },
  AddOnValues: {
    value: 'addon.open-cluster-management.io/values',
    on: ['ManagedClusterAddOn'],
    meaning: 'JSON values for rendering the add-on on this cluster.',
  },
  ChosenConfigs: {
    value: 'open-cluster-management.io/chosen-addon-configs',
    on: ['ManagedClusterAddOn'],
    meaning:
      'JSON list of the configurations that the hub chose for the cluster: its agent writes the status, and cannot write this. Not in OCM.',
  },
  LegacyInstallNamespace: {
    value: 'addon.open-cluster-management.io/v1alpha1-install-namespace',
    on: ['ManagedClusterAddOn'],
    meaning: 'Carries spec.installNamespace of v1alpha1 through v1beta1.',
  },
  DisableAutomaticInstallation: {
    value: 'addon.open-cluster-management.io/disable-automatic-installation',
    on: ['ManagedClusterAddOn', 'ManagedCluster'],
    meaning: 'Declared to opt out of automatic installation; nothing reads it in v1.3.',
  },
  AddOnPreDelete: {
    value: 'addon.open-cluster-management.io/addon-pre-delete',
    on: ['Job', 'Pod'],
    meaning: 'Makes a rendered Job or Pod a hook that runs before the add-on is removed; read as a label too.',
  },
  HostedManifestLocation: {
    value: 'addon.open-cluster-management.io/hosted-manifest-location',
    on: ['*'],
    meaning: 'Where a rendered manifest goes in hosted mode; read as a label too.',
  },
  DeletionOrphan: {
    value: 'addon.open-cluster-management.io/deletion-orphan',
    on: ['*'],
    meaning: 'A rendered manifest that stays when the add-on is removed.',
  },
  CrdVersion: {
    value: 'operator.open-cluster-management.io/version',
    on: ['CustomResourceDefinition'],
    meaning: 'Version of the operator that last wrote the CRD; an older operator leaves it alone.',
  },
  CleanupRetriedAt: {
    value: 'operator.open-cluster-management.io/cleanup-retried-at',
    on: ['CustomResourceDefinition'],
    meaning:
      'When the server was last made to delete the objects of a deleted definition again, because its attempt failed.',
  },
  ManagedResourcesEvictionTimestamp: {
    value: 'operator.open-cluster-management.io/managed-resources-eviction-timestamp',
    on: ['Klusterlet'],
    meaning: 'Since when the managed cluster of a deleted hosted klusterlet has been out of reach.',
  },
  EksRoleArn: {
    value: 'eks.amazonaws.com/role-arn',
    on: ['ServiceAccount'],
    meaning: 'IAM role that pods of the service account take.',
  },
  OpenShiftWorkloadAllowed: {
    value: 'workload.openshift.io/allowed',
    on: ['Namespace'],
    meaning: 'Kind of workload that OpenShift may partition in the namespace.',
  },
  OpenShiftManagementWorkload: {
    value: 'target.workload.openshift.io/management',
    on: ['Deployment'],
    meaning: 'On the pod template: schedule with the management workload of OpenShift.',
  },
  RolloutPaused: {
    value: 'work.open-cluster-management.io/rollout-paused',
    on: ['ManifestWorkReplicaSet'],
    meaning: 'With value "true": no cluster gets the template. Not in OCM.',
  },
  RevisionHistoryLimit: {
    value: 'work.open-cluster-management.io/revision-history-limit',
    on: ['ManifestWorkReplicaSet'],
    meaning: 'How many templates are kept besides the current one; 10 if unset. Not in OCM.',
  },
  ChangeCause: {
    value: 'kubernetes.io/change-cause',
    on: ['ManifestWorkReplicaSet', 'ControllerRevision'],
    meaning: 'Why the template changed, for the history of rollouts, as kubectl has it.',
  },
  LastAppliedConfiguration: {
    value: 'kubectl.kubernetes.io/last-applied-configuration',
    on: ['*'],
    meaning: 'What kubectl last applied.',
  },
} as const satisfies NameTable;

/** Annotation keys. */
export const Annotation = /* @__PURE__ */ constantsOf(annotationTable);
