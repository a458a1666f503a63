import { ApiGroup, ConfigMapName, SecretName, ServiceAccountName } from '@flotilla/api-types';
import type { Rules } from '../objects/rbac.ts';

/**
 * What the importer needs on the hub. The Secrets with kubeconfigs of clusters are not among it: whoever has clusters imported grants
 * `get` on those.
 */
export const importerRules: Rules = [
  { apiGroups: ['cluster.x-k8s.io'], resources: ['clusters'], verbs: ['get', 'list', 'watch'] },
  {
    apiGroups: [ApiGroup.Core],
    resources: ['secrets'],
    resourceNames: [SecretName.ImagePullCredentials, SecretName.ClusterImportConfig],
    verbs: ['get'],
  },
  {
    apiGroups: [ApiGroup.Core],
    resources: ['serviceaccounts/token'],
    resourceNames: [ServiceAccountName.AgentRegistrationBootstrap],
    verbs: ['create'],
  },
  {
    apiGroups: [ApiGroup.Core],
    resources: ['configmaps'],
    resourceNames: [ConfigMapName.ClusterInfo, ConfigMapName.RootCa],
    verbs: ['get'],
  },
];
