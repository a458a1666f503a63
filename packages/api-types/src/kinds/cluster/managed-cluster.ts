import { dnsLabelPattern, qualifiedNamePattern } from '@flotilla/schema';
import {
  ageColumn,
  bool,
  bytes,
  conditionColumn,
  conditions,
  defineKind,
  int32,
  listByKey,
  listOf,
  mapOf,
  nullableTimestamp,
  object,
  oneOf,
  optional,
  quantity,
  type Resource,
  rootOf,
  text,
} from '@flotilla/schema/define';
import type { Static } from 'typebox';
import { managedClusters } from '../../resources.ts';

const clientConfig = object('How to reach the API server of the cluster.', {
  url: text('Address of the API server.'),
  caBundle: optional(bytes('PEM certificates that the API server’s certificate is checked against.')),
});

const taint = object('Keeps placements without a matching toleration away from the cluster.', {
  key: text('Key of the taint.', { maxLength: 316, pattern: qualifiedNamePattern }),
  value: optional(text('Value of the taint.', { maxLength: 1024 })),
  effect: oneOf(
    'NoSelect removes the cluster from decisions, NoSelectIfNew only from new ones, PreferNoSelect avoids it.',
    ['NoSelect', 'PreferNoSelect', 'NoSelectIfNew'],
  ),
  timeAdded: optional(nullableTimestamp('When the taint was added; set by the hub.')),
});

const spec = object('What the hub wants of the cluster.', {
  hubAcceptsClient: optional(bool('Set by an administrator of the hub to accept the cluster.')),
  leaseDurationSeconds: optional(
    int32('How often the agent renews its lease; five missed renewals make the cluster unavailable.', { default: 60 }),
  ),
  managedClusterClientConfigs: optional(
    listOf('Addresses of the cluster’s API server; empty if the hub cannot reach it.', clientConfig),
  ),
  taints: optional(listOf('Taints of the cluster.', taint)),
});

const claim = object('A fact that the cluster claims about itself.', {
  name: optional(text('Name of the claim.', { minLength: 1, maxLength: 253 })),
  value: optional(text('Value of the claim.', { minLength: 1, maxLength: 1024 })),
});

const managedNamespace = object('A namespace that a cluster set manages on the cluster.', {
  clusterSet: text('The cluster set that asks for the namespace.'),
  name: text('Name of the namespace.', { maxLength: 63, pattern: dnsLabelPattern }),
  conditions: optional(conditions('State of the namespace on the cluster.')),
});

const status = object('What the agent and the hub observed.', {
  conditions: optional(conditions('State of the cluster: accepted, joined, available and more.')),
  capacity: optional(mapOf('Total resources of the cluster.', quantity('An amount such as 500m or 2Gi.'))),
  allocatable: optional(mapOf('Resources that workloads can use.', quantity('An amount such as 500m or 2Gi.'))),
  version: optional(
    object('Versions of the cluster.', { kubernetes: optional(text('Version of its API server, such as v1.36.0.')) }),
  ),
  clusterClaims: optional(listOf('Facts that the cluster claims about itself.', claim)),
  managedNamespaces: optional(
    listByKey('Namespaces that cluster sets manage on the cluster.', ['clusterSet', 'name'], managedNamespace),
  ),
});

const schema = rootOf('A cluster that has asked to join the hub.', {
  spec: optional(spec),
  status: optional(status),
});

/** What the hub wants of the cluster. */
export type ManagedClusterSpec = Static<typeof spec>;
/** What the agent and the hub observed. */
export type ManagedClusterStatus = Static<typeof status>;
/** Keeps placements without a matching toleration away from the cluster. */
export type ManagedClusterTaint = Static<typeof taint>;
/** A fact that the cluster claims about itself. */
export type ManagedClusterClaim = Static<typeof claim>;
/** A cluster that has asked to join the hub. */
export interface ManagedCluster extends Resource<typeof schema> {}

/** How the kind is served, and its schema. */
export const managedClusterKind = defineKind({
  resource: managedClusters,
  schema,
  shortNames: ['mcl', 'mcls'],
  printerColumns: [
    { name: 'Hub Accepted', type: 'boolean', jsonPath: '.spec.hubAcceptsClient' },
    { name: 'Managed Cluster URLs', type: 'string', jsonPath: '.spec.managedClusterClientConfigs[*].url' },
    conditionColumn('Joined', 'ManagedClusterJoined'),
    conditionColumn('Available', 'ManagedClusterConditionAvailable'),
    // Not in OCM. A column is for readers only: it changes nothing of what is stored or accepted.
    { name: 'Mode', type: 'string', jsonPath: ".metadata.labels['open-cluster-management\\.io/cluster-mode']" },
    ageColumn,
  ],
});
