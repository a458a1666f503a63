import { ApiGroup, ClusterProxyApi } from '@flotilla/api-types';
import type { ClusterRole } from '@flotilla/kube/kinds';
import type { Driver, JoinToken, PolicyRule } from '../contract/index.ts';

type Rules = NonNullable<ClusterRole['rules']>;

const read = ['get', 'list', 'watch'];
const rule = (group: string, resources: readonly string[], verbs: readonly string[]): Rules[number] => ({
  apiGroups: [group],
  resources: [...resources],
  verbs: [...verbs],
});

/**
 * What the hub's registration controllers and webhooks need on the hub with these drivers, without wildcards. Kubernetes lets users
 *grant only what they have, so this includes what the hub grants to clusters. Other kinds of `--gc-resource-list` need `list`,
 * `watch`, `delete` and `patch` beside it.
 */
export const hubRules = (drivers: readonly Pick<Driver, 'rules'>[]): Rules => [
  ...uniqueRules(drivers.flatMap(({ rules }) => rules?.hub ?? [])),
  rule(ApiGroup.Core, ['namespaces'], [...read, 'create', 'update']),
  rule(ApiGroup.Core, ['events'], ['create', 'patch', 'update']),
  rule(ApiGroup.Events, ['events'], ['create', 'patch', 'update']),
  // Admission asks by subjectaccessreviews; with tokenreviews they also guard /metrics.
  rule(ApiGroup.Authorization, ['subjectaccessreviews'], ['create']),
  rule(ApiGroup.Authentication, ['tokenreviews'], ['create']),
  rule(
    ApiGroup.Rbac,
    ['clusterroles', 'clusterrolebindings', 'rolebindings'],
    [...read, 'create', 'update', 'patch', 'delete'],
  ),
  // Join tokens: who used which, and the set that they put a cluster into.
  rule(ApiGroup.Certificates, ['certificatesigningrequests'], read),
  rule(ApiGroup.Cluster, ['managedclustersets/join'], ['create']),
  rule(ApiGroup.Coordination, ['leases'], [...read, 'create', 'update', 'patch']),
  rule(ApiGroup.Cluster, ['managedclusters'], [...read, 'update', 'patch']),
  rule(ApiGroup.Cluster, ['managedclusters/status'], ['update', 'patch']),
  rule(ApiGroup.Cluster, ['managedclustersets'], [...read, 'create', 'update']),
  rule(ApiGroup.Cluster, ['managedclustersetbindings'], read),
  rule(ApiGroup.Cluster, ['managedclustersets/status', 'managedclustersetbindings/status'], ['patch']),
  rule(ApiGroup.Work, ['manifestworks'], [...read, 'update', 'patch', 'delete']),
  rule(ApiGroup.Work, ['manifestworks/status'], ['update', 'patch']),
  rule(ApiGroup.AddOn, ['managedclusteraddons'], [...read, 'patch', 'delete']),
  rule(ApiGroup.AddOn, ['managedclusteraddons/status'], ['update', 'patch']),
  rule(ApiGroup.Register, ['managedclusters/accept'], ['update']),
  rule(ClusterProxyApi.group, [`${ClusterProxyApi.tunnels}/${ClusterProxyApi.attach}`], ['get']),
  rule(ApiGroup.MultiCluster, ['clusterprofiles'], [...read, 'create', 'patch', 'delete']),
  rule(ApiGroup.MultiCluster, ['clusterprofiles/status'], ['patch']),
];

/** What they need in the namespace of the hub: to keep the records of join tokens. RBAC cannot restrict a watch to a label. */
export const hubNamespaceRules = (): Rules => [rule(ApiGroup.Core, ['configmaps'], [...read, 'patch'])];

/** What the holder of a join token needs: as little of the bootstrap user's rights as its cluster takes. */
export function joinTokenRules(
  drivers: readonly Pick<Driver, 'rules'>[],
  { clusterName, clusterSet }: Pick<JoinToken, 'clusterName' | 'clusterSet'>,
): Rules {
  if (clusterName === undefined) return bootstrapRules(drivers);
  // A cluster without a set is put into this one when it is created, in the name of whoever creates it.
  const sets = [...new Set(['default', ...(clusterSet === undefined ? [] : [clusterSet])])];
  return [
    ...uniqueRules(drivers.flatMap(({ rules }) => rules?.bootstrap ?? [])),
    // RBAC knows no name when something is created: admission checks it.
    rule(ApiGroup.Cluster, ['managedclusters'], ['create']),
    { ...rule(ApiGroup.Cluster, ['managedclusters'], read), resourceNames: [clusterName] },
    { ...rule(ApiGroup.Cluster, ['managedclustersets/join'], ['create']), resourceNames: sets },
  ];
}

/** What the bootstrap user needs to let clusters register by these drivers. */
export const bootstrapRules = (drivers: readonly Pick<Driver, 'rules'>[]): Rules => [
  ...uniqueRules(drivers.flatMap(({ rules }) => rules?.bootstrap ?? [])),
  rule(ApiGroup.Cluster, ['managedclusters'], ['get', 'create', 'list', 'watch']),
  rule(ApiGroup.Cluster, ['managedclustersets/join'], ['create']),
];

/** Drivers share rules, such as those for certificates. */
const uniqueRules = (rules: readonly PolicyRule[]): Rules => [
  ...new Map(rules.map((one) => [JSON.stringify(one), one])).values(),
];
