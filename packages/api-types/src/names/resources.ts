import { ApiGroup } from './groups.ts';

interface Resource {
  readonly group: string;
  /** The name in URLs and RBAC rules. */
  readonly plural: string;
}

/** Every kind that a name of this package stands on, with where it is served. */
export const resourceTable = {
  ManagedCluster: { group: ApiGroup.Cluster, plural: 'managedclusters' },
  ManagedClusterSet: { group: ApiGroup.Cluster, plural: 'managedclustersets' },
  ManagedClusterSetBinding: { group: ApiGroup.Cluster, plural: 'managedclustersetbindings' },
  Placement: { group: ApiGroup.Cluster, plural: 'placements' },
  PlacementDecision: { group: ApiGroup.Cluster, plural: 'placementdecisions' },
  AddOnPlacementScore: { group: ApiGroup.Cluster, plural: 'addonplacementscores' },
  ClusterClaim: { group: ApiGroup.Cluster, plural: 'clusterclaims' },
  ManifestWork: { group: ApiGroup.Work, plural: 'manifestworks' },
  AppliedManifestWork: { group: ApiGroup.Work, plural: 'appliedmanifestworks' },
  ManifestWorkReplicaSet: { group: ApiGroup.Work, plural: 'manifestworkreplicasets' },
  ClusterManagementAddOn: { group: ApiGroup.AddOn, plural: 'clustermanagementaddons' },
  ManagedClusterAddOn: { group: ApiGroup.AddOn, plural: 'managedclusteraddons' },
  AddOnDeploymentConfig: { group: ApiGroup.AddOn, plural: 'addondeploymentconfigs' },
  AddOnTemplate: { group: ApiGroup.AddOn, plural: 'addontemplates' },
  ClusterManager: { group: ApiGroup.Operator, plural: 'clustermanagers' },
  Klusterlet: { group: ApiGroup.Operator, plural: 'klusterlets' },
  ClusterProfile: { group: ApiGroup.MultiCluster, plural: 'clusterprofiles' },
  ClusterProperty: { group: ApiGroup.About, plural: 'clusterproperties' },
  Cluster: { group: ApiGroup.ClusterApi, plural: 'clusters' },
  ConfigMap: { group: ApiGroup.Core, plural: 'configmaps' },
  Namespace: { group: ApiGroup.Core, plural: 'namespaces' },
  Node: { group: ApiGroup.Core, plural: 'nodes' },
  Pod: { group: ApiGroup.Core, plural: 'pods' },
  Secret: { group: ApiGroup.Core, plural: 'secrets' },
  Service: { group: ApiGroup.Core, plural: 'services' },
  ServiceAccount: { group: ApiGroup.Core, plural: 'serviceaccounts' },
  ControllerRevision: { group: ApiGroup.Apps, plural: 'controllerrevisions' },
  DaemonSet: { group: ApiGroup.Apps, plural: 'daemonsets' },
  Deployment: { group: ApiGroup.Apps, plural: 'deployments' },
  Job: { group: ApiGroup.Batch, plural: 'jobs' },
  Role: { group: ApiGroup.Rbac, plural: 'roles' },
  RoleBinding: { group: ApiGroup.Rbac, plural: 'rolebindings' },
  ClusterRole: { group: ApiGroup.Rbac, plural: 'clusterroles' },
  ClusterRoleBinding: { group: ApiGroup.Rbac, plural: 'clusterrolebindings' },
  CertificateSigningRequest: { group: ApiGroup.Certificates, plural: 'certificatesigningrequests' },
  Lease: { group: ApiGroup.Coordination, plural: 'leases' },
  Event: { group: ApiGroup.Events, plural: 'events' },
  TokenRequest: { group: ApiGroup.Authentication, plural: 'tokenrequests' },
  TokenReview: { group: ApiGroup.Authentication, plural: 'tokenreviews' },
  SubjectAccessReview: { group: ApiGroup.Authorization, plural: 'subjectaccessreviews' },
  SelfSubjectAccessReview: { group: ApiGroup.Authorization, plural: 'selfsubjectaccessreviews' },
  CustomResourceDefinition: { group: ApiGroup.ApiExtensions, plural: 'customresourcedefinitions' },
  MutatingWebhookConfiguration: { group: ApiGroup.AdmissionRegistration, plural: 'mutatingwebhookconfigurations' },
  ValidatingWebhookConfiguration: { group: ApiGroup.AdmissionRegistration, plural: 'validatingwebhookconfigurations' },
  PriorityClass: { group: ApiGroup.Scheduling, plural: 'priorityclasses' },
  StorageVersionMigration: { group: ApiGroup.Migration, plural: 'storageversionmigrations' },
} as const satisfies Readonly<Record<string, Resource>>;

/** A kind that names stand on; `*` is any object that a work or an add-on carries to a managed cluster. */
export type KindName = keyof typeof resourceTable | '*';

/** All kinds that names stand on, but for `*`. */
export const kindNames = Object.keys(resourceTable) as readonly (keyof typeof resourceTable)[];
