import { ApiGroup } from '@flotilla/api-types';
import type { Rules } from '../objects/rbac.ts';

const read = ['get', 'list', 'watch'];
const readAndWrite = [...read, 'create', 'update', 'patch'];

/** In the namespace of the agent: its identity on the hub. */
export const identityRules: Rules = [
  { apiGroups: [ApiGroup.Core], resources: ['secrets'], verbs: [...readAndWrite, 'delete'] },
];

/** In the namespace of the agent: leader election. */
export const leaderElectionRules: Rules = [
  { apiGroups: [ApiGroup.Coordination], resources: ['leases'], verbs: readAndWrite },
];

/** What the registration agent needs in the managed cluster for itself. */
export const statusRules: Rules = [
  // What it reports: capacity and claims.
  { apiGroups: [ApiGroup.Core], resources: ['nodes'], verbs: read },
  { apiGroups: [ApiGroup.Cluster], resources: ['clusterclaims'], verbs: read },
  { apiGroups: [ApiGroup.About], resources: ['clusterproperties'], verbs: read },
  // Namespaces that cluster sets manage. The uid of kube-system identifies the cluster.
  { apiGroups: [ApiGroup.Core], resources: ['namespaces'], verbs: readAndWrite },
];

/** For add-ons (gate AddonManagement) in all namespaces: their credentials for the hub, and their heartbeats. */
export const addonRules: Rules = [
  { apiGroups: [ApiGroup.Core], resources: ['secrets'], verbs: [...readAndWrite, 'delete'] },
  { apiGroups: [ApiGroup.Coordination], resources: ['leases'], verbs: read },
];

/** What the registration agent needs in the whole cluster. */
export const registrationRules: Rules = [...statusRules, ...addonRules];

/** To authenticate and authorize callers of /metrics. */
export const metricsRules: Rules = [
  { apiGroups: [ApiGroup.Authentication], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: [ApiGroup.Authorization], resources: ['subjectaccessreviews'], verbs: ['create'] },
];
