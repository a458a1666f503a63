import { ApiGroup, LeaseName, NamespaceName, ServiceAccountName } from '@flotilla/api-types';
import type { PolicyRule } from '../contract/index.ts';
import { memberSecretName } from './member-secret.ts';

/** As whom the agents of pushed clusters run on the hub. */
export const pushAgentsAccount = { namespace: NamespaceName.Hub, name: ServiceAccountName.PushAgents } as const;

const read = ['get', 'list', 'watch'];
const rule = (apiGroup: string, resources: string[], verbs: string[]): PolicyRule => ({
  apiGroups: [apiGroup],
  resources,
  verbs,
});

/**
 * What push-agents needs on the hub, without wildcards. Of Secrets it sees those with the access to members and no others. Tokens of
 * add-ons it requests by the binding that the hub makes for each add-on of a pushed cluster.
 */
export const pushAgentsRules = (): PolicyRule[] => [
  { ...rule(ApiGroup.Core, ['secrets'], [...read, 'patch', 'delete']), resourceNames: [memberSecretName] },
  // The label of a cluster that an agent has taken over.
  rule(ApiGroup.Cluster, ['managedclusters'], [...read, 'patch']),
  rule(ApiGroup.Cluster, ['managedclusters/status'], ['patch']),
  rule(ApiGroup.Work, ['manifestworks'], [...read, 'patch']),
  rule(ApiGroup.Work, ['manifestworks/status'], ['patch']),
  rule(ApiGroup.AddOn, ['managedclusteraddons'], read),
  rule(ApiGroup.AddOn, ['managedclusteraddons/status'], ['patch']),
  // Certificates of add-ons. The managers of the add-ons approve those of pushed clusters, for the add-on of the cluster and no other.
  rule(ApiGroup.Certificates, ['certificatesigningrequests'], [...read, 'create']),
  // Heartbeats of clusters, and that there are none when an agent takes over. The hub creates the leases.
  {
    ...rule(ApiGroup.Coordination, ['leases'], [...read, 'update', 'patch']),
    resourceNames: [LeaseName.ManagedCluster],
  },
  rule(ApiGroup.Events, ['events'], ['create', 'patch']),
  // To authenticate and authorize callers of /metrics.
  rule(ApiGroup.Authentication, ['tokenreviews'], ['create']),
  rule(ApiGroup.Authorization, ['subjectaccessreviews'], ['create']),
];

/** What it needs in its own namespace: the leases by which replicas divide the clusters. Their names differ with each start. */
export const pushAgentsNamespaceRules = (): PolicyRule[] => [
  rule(ApiGroup.Coordination, ['leases'], [...read, 'create', 'update', 'delete']),
];
