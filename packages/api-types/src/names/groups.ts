/**
 * API groups that OCM serves or calls. They stand below every kind, so this table names no kinds:
 * `resources.ts` says which kinds a group has.
 */
export const apiGroupTable = {
  Cluster: { value: 'cluster.open-cluster-management.io', meaning: 'Clusters, cluster sets, placements and claims.' },
  Work: { value: 'work.open-cluster-management.io', meaning: 'Manifest works and what was applied for them.' },
  AddOn: { value: 'addon.open-cluster-management.io', meaning: 'Add-ons, their templates and configurations.' },
  Operator: { value: 'operator.open-cluster-management.io', meaning: 'Installation of the hub and of the klusterlet.' },
  Register: {
    value: 'register.open-cluster-management.io',
    meaning: 'Virtual group, in RBAC only: accepting clusters and renewing their certificates.',
  },
  MultiCluster: { value: 'multicluster.x-k8s.io', meaning: 'Cluster inventory of SIG Multicluster.' },
  About: { value: 'about.k8s.io', meaning: 'Cluster properties of SIG Multicluster.' },
  ClusterApi: { value: 'cluster.x-k8s.io', meaning: 'Cluster API, from which clusters are imported.' },
  Core: { value: '', meaning: 'The core group of Kubernetes.' },
  AdmissionRegistration: { value: 'admissionregistration.k8s.io', meaning: 'Webhook configurations.' },
  ApiExtensions: { value: 'apiextensions.k8s.io', meaning: 'Custom resource definitions.' },
  Apps: { value: 'apps', meaning: 'Deployments and other workloads.' },
  Authentication: { value: 'authentication.k8s.io', meaning: 'Token reviews and token requests.' },
  Authorization: { value: 'authorization.k8s.io', meaning: 'Access reviews.' },
  Batch: { value: 'batch', meaning: 'Jobs, among them pre-delete hooks.' },
  Certificates: { value: 'certificates.k8s.io', meaning: 'Certificate signing requests.' },
  Coordination: { value: 'coordination.k8s.io', meaning: 'Leases: heartbeats and leader election.' },
  Events: { value: 'events.k8s.io', meaning: 'Events, in the only version that OCM writes.' },
  Rbac: { value: 'rbac.authorization.k8s.io', meaning: 'Roles and bindings.' },
  Scheduling: { value: 'scheduling.k8s.io', meaning: 'Priority classes of agents.' },
  ClientAuthentication: { value: 'client.authentication.k8s.io', meaning: 'Exec plugins in kubeconfigs.' },
  OpenShiftConfig: { value: 'config.openshift.io', meaning: 'Infrastructure of OpenShift, read by controllers there.' },
  Migration: { value: 'migration.k8s.io', meaning: 'Storage version migrations.' },
} as const;

type ApiGroups = { readonly [Key in keyof typeof apiGroupTable]: (typeof apiGroupTable)[Key]['value'] };

/** API groups that OCM serves or calls. */
export const ApiGroup = /* @__PURE__ */ Object.fromEntries(
  Object.entries(apiGroupTable).map(([key, entry]) => [key, entry.value]),
) as ApiGroups;
