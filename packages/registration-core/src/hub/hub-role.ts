import { ApiGroup, Signer } from '@flotilla/api-types';
import type { ClusterRole } from '@flotilla/kube';

type Rules = NonNullable<ClusterRole['rules']>;

const read = ['get', 'list', 'watch'];
const rule = (group: string, resources: readonly string[], verbs: readonly string[]): Rules[number] => ({
  apiGroups: [group],
  resources: [...resources],
  verbs: [...verbs],
});

/**
 * What the hub's registration controllers and webhooks need on the hub, without wildcards. Kubernetes lets nobody grant what they
 * do not have, so this holds what the hub grants to clusters too. Other kinds of `--gc-resource-list` need `list`, `watch`,
 * `delete` and `patch` beside it.
 */
export const hubRules = (): Rules => [
  rule(ApiGroup.Certificates, ['certificatesigningrequests'], ['create', ...read]),
  rule(ApiGroup.Certificates, ['certificatesigningrequests/approval'], ['update']),
  { ...rule(ApiGroup.Certificates, ['signers'], ['approve']), resourceNames: [Signer.KubeApiServerClient] },
  rule(ApiGroup.Core, ['namespaces'], [...read, 'create', 'update']),
  rule(ApiGroup.Core, ['events'], ['create', 'patch', 'update']),
  rule(ApiGroup.Events, ['events'], ['create', 'patch', 'update']),
  rule(ApiGroup.Authorization, ['subjectaccessreviews'], ['create']),
  rule(
    ApiGroup.Rbac,
    ['clusterroles', 'clusterrolebindings', 'rolebindings'],
    [...read, 'create', 'update', 'patch', 'delete'],
  ),
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
  rule(ApiGroup.Register, ['managedclusters/clientcertificates'], ['renew']),
  rule(ApiGroup.Register, ['managedclusters/accept'], ['update']),
  rule(ApiGroup.MultiCluster, ['clusterprofiles'], [...read, 'create', 'patch', 'delete']),
  rule(ApiGroup.MultiCluster, ['clusterprofiles/status'], ['patch']),
];
