import { ApiGroup, ConfigMapName, LeaderElectionComponent, SecretName } from '@flotilla/api-types';
import type { Rules } from '../objects/rbac.ts';

const read = ['get', 'list', 'watch'];
const write = ['update', 'patch', 'delete'];
const all = [...read, 'create', ...write];

/** In all namespaces: the operator sees no other Secret. */
const namedSecrets: string[] = [
  SecretName.ImagePullCredentials,
  SecretName.BootstrapHubKubeconfig,
  SecretName.HubKubeconfig,
  SecretName.ExternalManagedKubeconfig,
  SecretName.ExternalManagedKubeconfigRegistration,
  SecretName.ExternalManagedKubeconfigWork,
  SecretName.ExternalManagedKubeconfigAgent,
];

/** What agents need on their managed cluster, and the kind that the operator itself reconciles. */
const namedDefinitions: string[] = [
  `klusterlets.${ApiGroup.Operator}`,
  `appliedmanifestworks.${ApiGroup.Work}`,
  `clusterclaims.${ApiGroup.Cluster}`,
  `clusterproperties.${ApiGroup.About}`,
];

/**
 * What the operator of agents may do. RBAC cannot restrict a creation to a name. On the managed clusters of hosted agents it needs the
 * same, by the kubeconfigs that it is given.
 */
export const klusterletOperatorRules = (): Rules => [
  { apiGroups: [ApiGroup.Operator], resources: ['klusterlets'], verbs: [...read, 'update', 'patch'] },
  { apiGroups: [ApiGroup.Operator], resources: ['klusterlets/status'], verbs: ['update', 'patch'] },
  { apiGroups: [ApiGroup.Core], resources: ['namespaces', 'serviceaccounts'], verbs: all },
  { apiGroups: [ApiGroup.Apps], resources: ['deployments'], verbs: all },
  { apiGroups: [ApiGroup.Core], resources: ['nodes'], verbs: read },
  { apiGroups: [ApiGroup.Core], resources: ['secrets', 'configmaps'], verbs: ['create'] },
  { apiGroups: [ApiGroup.Core], resources: ['secrets'], resourceNames: namedSecrets, verbs: [...read, ...write] },
  {
    apiGroups: [ApiGroup.Core],
    resources: ['configmaps'],
    resourceNames: [ConfigMapName.TlsProfile],
    verbs: [...read, ...write],
  },
  // It grants to agents what it does not have itself: their own rights, the role admin, and what works may contain.
  { apiGroups: [ApiGroup.Rbac], resources: ['clusterroles', 'roles'], verbs: [...all, 'escalate', 'bind'] },
  { apiGroups: [ApiGroup.Rbac], resources: ['clusterrolebindings', 'rolebindings'], verbs: all },
  { apiGroups: [ApiGroup.ApiExtensions], resources: ['customresourcedefinitions'], verbs: ['create'] },
  {
    apiGroups: [ApiGroup.ApiExtensions],
    resources: ['customresourcedefinitions'],
    resourceNames: namedDefinitions,
    verbs: [...read, 'update', 'patch'],
  },
  // With a klusterlet go the records of its works; what they list stays.
  { apiGroups: [ApiGroup.Work], resources: ['appliedmanifestworks'], verbs: ['get', 'list', 'patch', 'delete'] },
  { apiGroups: [ApiGroup.Coordination], resources: ['leases'], verbs: ['create'] },
  {
    apiGroups: [ApiGroup.Coordination],
    resources: ['leases'],
    resourceNames: [`${LeaderElectionComponent.Klusterlet}-lock`],
    verbs: [...read, 'update', 'patch'],
  },
  // Callers of /metrics.
  { apiGroups: [ApiGroup.Authentication], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: [ApiGroup.Authorization], resources: ['subjectaccessreviews'], verbs: ['create'] },
];
