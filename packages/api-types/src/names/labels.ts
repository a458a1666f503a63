import { composed } from './composed.ts';
import { constantsOf, type NameTable } from './name-table.ts';

export const labelTable = {
  ClusterName: {
    value: 'open-cluster-management.io/cluster-name',
    on: [
      'CertificateSigningRequest',
      'Lease',
      'Namespace',
      'ClusterRole',
      'ClusterRoleBinding',
      'RoleBinding',
      'ClusterProfile',
    ],
    meaning: 'The managed cluster an object belongs to; empty on the two cluster roles that all clusters share.',
  },
  JoinToken: {
    value: 'open-cluster-management.io/join-token',
    on: ['ConfigMap', 'ClusterRole', 'ClusterRoleBinding'],
    meaning: 'The id of the join token that an object belongs to.',
  },
  AddOnName: {
    value: 'open-cluster-management.io/addon-name',
    on: ['ManifestWork', 'CertificateSigningRequest', 'RoleBinding'],
    meaning: 'The add-on an object was made for; the hub registration controllers ignore objects that carry it.',
  },
  AddOnNamespace: {
    value: 'open-cluster-management.io/addon-namespace',
    on: ['ManifestWork'],
    meaning: 'Namespace of the ManagedClusterAddOn when its work lives in another one (the hosting cluster).',
  },
  AddOnTemplateName: {
    value: 'open-cluster-management.io/addon-template-name',
    on: ['RoleBinding'],
    meaning: 'Marks role bindings made for a template add-on; the value is empty.',
  },
  AddOnInstallNamespace: {
    value: 'addon.open-cluster-management.io/namespace',
    on: ['Namespace'],
    meaning: 'With value "true": the klusterlet operator copies pull secret and TLS profile into the namespace.',
  },
  TokenInfrastructure: {
    value: 'addon.open-cluster-management.io/token-infrastructure',
    on: ['ServiceAccount', 'Role', 'RoleBinding'],
    meaning: 'With value "true": made for an add-on that registers by token.',
  },
  TokenInfrastructureAddOn: {
    value: 'addon.open-cluster-management.io/name',
    on: ['ServiceAccount', 'Role', 'RoleBinding'],
    meaning: 'The add-on that token infrastructure belongs to.',
  },
  AddOnFeature: composed(
    'feature.open-cluster-management.io/addon-{addOn}',
    ['ManagedCluster'],
    'One per add-on of the cluster; the value is its health.',
    { addOn: '[A-Za-z0-9._-]+' },
  ),
  ClusterSet: {
    value: 'cluster.open-cluster-management.io/clusterset',
    on: ['ManagedCluster'],
    meaning: 'The one exclusive cluster set that the cluster is in.',
  },
  PushAgents: {
    value: 'open-cluster-management.io/push-agents',
    on: ['Lease'],
    meaning: 'With value "true": a replica of the push agents renews this lease while it runs. Not in OCM.',
  },
  ClusterMode: {
    value: 'open-cluster-management.io/cluster-mode',
    on: ['ManagedCluster'],
    meaning: 'With value "Push": the hub reaches the cluster itself, and runs its agent. Not in OCM.',
  },
  ManagedNamespace: composed(
    'clusterset.open-cluster-management.io/{hubHash}',
    ['Namespace'],
    'Says by "true" or "false" whether the hub manages the namespace; the part is the first 63 characters of the hub hash.',
    { hubHash: '[0-9a-f]{63}' },
  ),
  Placement: {
    value: 'cluster.open-cluster-management.io/placement',
    on: ['PlacementDecision'],
    meaning: 'The Placement that the decision answers.',
  },
  DecisionGroupName: {
    value: 'cluster.open-cluster-management.io/decision-group-name',
    on: ['PlacementDecision'],
    meaning: 'Name of the decision group; empty for the rest group.',
  },
  DecisionGroupIndex: {
    value: 'cluster.open-cluster-management.io/decision-group-index',
    on: ['PlacementDecision'],
    meaning: 'Position of the decision group, counted from 0.',
  },
  ManifestWorkReplicaSet: {
    value: 'work.open-cluster-management.io/manifestworkreplicaset',
    on: ['ManifestWork'],
    meaning: 'The replica set that generated the work, as namespace.name.',
  },
  ManifestWorkPlacement: {
    value: 'work.open-cluster-management.io/placementname',
    on: ['ManifestWork'],
    meaning: 'The Placement for which a replica set generated the work.',
  },
  AggregateToWork: {
    value: 'open-cluster-management.io/aggregate-to-work',
    on: ['ClusterRole'],
    meaning: 'With value "true": the rules are added to what the work agent may do.',
  },
  SpokeOnly: {
    value: 'open-cluster-management.io/spoke-only',
    on: ['ClusterClaim', 'ClusterProperty'],
    meaning: 'Present with any value: the claim is not reported to the hub.',
  },
  OriginalSource: {
    value: 'cloudevents.open-cluster-management.io/originalsource',
    on: ['ManifestWork'],
    meaning: 'The CloudEvents source that the work came from.',
  },
  CreatedByClusterManager: {
    value: 'open-cluster-management.io/created-by-clustermanager',
    on: ['Namespace', 'Deployment', 'Pod', 'Service', 'ServiceAccount', 'ClusterRole', 'ClusterRoleBinding'],
    meaning: 'The ClusterManager whose operator made the object.',
  },
  CreatedByKlusterlet: {
    value: 'open-cluster-management.io/created-by-klusterlet',
    on: ['Namespace', 'Deployment', 'ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
    meaning: 'The Klusterlet whose operator made the object.',
  },
  KlusterletNamespace: {
    value: 'operator.open-cluster-management.io/klusterlet',
    on: ['Namespace'],
    meaning: 'The Klusterlet that uses the namespace on the managed cluster.',
  },
  InventoryManager: {
    value: 'x-k8s.io/cluster-manager',
    on: ['ClusterProfile'],
    meaning: 'The inventory manager that owns the profile.',
  },
  InventoryClusterSet: {
    value: 'multicluster.x-k8s.io/clusterset',
    on: ['ClusterProfile'],
    meaning: 'The cluster set of the cluster; empty when it is in none.',
  },
  App: {
    value: 'app',
    on: ['Deployment', 'Pod', 'Secret'],
    meaning: 'Component that a pod belongs to; tools wait for pods by it.',
  },
  LegacyAddOnPreDelete: {
    value: 'open-cluster-management.io/addon-pre-delete',
    on: ['Job', 'Pod'],
    meaning: 'Marked pre-delete hooks in earlier releases; nothing reads it in v1.3.',
  },
  NodeRoleMaster: {
    value: 'node-role.kubernetes.io/master',
    on: ['Node'],
    meaning: 'Control plane nodes by the retired label; the operators count them to choose replicas.',
  },
  NodeRoleControlPlane: {
    value: 'node-role.kubernetes.io/control-plane',
    on: ['Node'],
    meaning: 'Control plane nodes.',
  },
} as const satisfies NameTable;

/** Label keys. */
export const Label = /* @__PURE__ */ constantsOf(labelTable);
