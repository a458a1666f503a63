import { ApiGroup, ClusterProxyApi } from '@flotilla/api-types';
import type { ClusterRole } from '@flotilla/kube/kinds';
import { passedExtras } from '../member/impersonation.policy.ts';

type Rules = NonNullable<ClusterRole['rules']>;

const read = ['get', 'list', 'watch'];
const ownApiService = {
  apiGroups: ['apiregistration.k8s.io'],
  resources: ['apiservices'],
  resourceNames: [ClusterProxyApi.apiService],
};

/** What the program that serves the API needs in the whole hub. */
export const clusterProxyRules = (): Rules => [
  { apiGroups: [ApiGroup.Cluster], resources: ['managedclusters'], verbs: read },
  // Which replica has the tunnel of a cluster. RBAC cannot restrict the creation to a name.
  { apiGroups: [ApiGroup.Coordination], resources: ['leases'], verbs: ['create'] },
  {
    apiGroups: [ApiGroup.Coordination],
    resources: ['leases'],
    resourceNames: [ClusterProxyApi.lease],
    verbs: [...read, 'update'],
  },
  // Who may open a shell; and with tokenreviews, who may read /metrics.
  { apiGroups: [ApiGroup.Authorization], resources: ['subjectaccessreviews'], verbs: ['create'] },
  { apiGroups: [ApiGroup.Authentication], resources: ['tokenreviews'], verbs: ['create'] },
  // It owns the records of tunnels, which go with it.
  { ...ownApiService, verbs: ['get'] },
];

/** To make the API server trust a certificate of its own. Where an operator keeps the certificate, it does that. */
export const clusterProxyTrustRules = (): Rules => [{ ...ownApiService, verbs: [...read, 'patch'] }];

/** What it needs in its namespace: its certificate, which all replicas share. RBAC cannot restrict the creation to a name. */
export const clusterProxyCertificateRules = (): Rules => [
  { apiGroups: [ApiGroup.Core], resources: ['secrets'], verbs: ['create'] },
  {
    apiGroups: [ApiGroup.Core],
    resources: ['secrets'],
    resourceNames: [ClusterProxyApi.servingSecret],
    verbs: [...read, 'update'],
  },
];

/**
 * What an agent needs on its cluster to act for users of the hub. Narrow it by resourceNames to admit certain users and groups only. It
 * never acts for names that begin with `system:`, whatever the grant says.
 */
export const impersonationRules = (): Rules => [
  { apiGroups: [ApiGroup.Core], resources: ['users', 'groups'], verbs: ['impersonate'] },
  {
    apiGroups: [ApiGroup.Authentication],
    resources: ['uids', ...passedExtras.map((key) => `userextras/${key}`)],
    verbs: ['impersonate'],
  },
];
