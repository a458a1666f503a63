import {
  ApiGroup,
  ClusterRoleName,
  ConfigMapName,
  GroupName,
  type KubeObject,
  NamespaceName,
  ServiceAccountName,
} from '@flotilla/api-types';
import type { Namespace } from '@flotilla/kube';
import { asMadeByCli } from '../ownership.ts';
import {
  accountSubject,
  boundRole,
  clusterRole,
  clusterRoleBinding,
  groupSubject,
  type Rules,
  serviceAccount,
} from './rbac.ts';

const account = serviceAccount(NamespaceName.Operator, ServiceAccountName.AgentRegistrationBootstrap);

const namespace = (name: string): Namespace => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

/** What a cluster may do before it is accepted: ask to join and look at the answer. No Secret, and ConfigMaps only by name. */
const bootstrapRules: Rules = [
  {
    apiGroups: [ApiGroup.Certificates],
    resources: ['certificatesigningrequests'],
    verbs: ['create', 'get', 'list', 'watch'],
  },
  { apiGroups: [ApiGroup.Cluster], resources: ['managedclusters'], verbs: ['get', 'create', 'list', 'watch'] },
  { apiGroups: [ApiGroup.Cluster], resources: ['managedclustersets/join'], verbs: ['create'] },
];

const reading = (...resourceNames: string[]): Rules => [
  { apiGroups: [''], resources: ['configmaps'], resourceNames, verbs: ['get'] },
];

/** Holders of bootstrap tokens and of tokens of the bootstrap account. */
const newClusters = [accountSubject(account), groupSubject(GroupName.Bootstrappers)];

/** The namespaces of a hub. */
export const hubNamespaces = (): KubeObject[] =>
  [namespace(NamespaceName.Operator), namespace(NamespaceName.Hub)].map(asMadeByCli);

/** Lets clusters ask to join: the service account whose token they are given, and what such a cluster may do. */
export const bootstrapObjects = (): KubeObject[] =>
  [
    account,
    clusterRole(ClusterRoleName.Bootstrap, bootstrapRules),
    clusterRoleBinding(ClusterRoleName.BootstrapServiceAccountBinding, ClusterRoleName.Bootstrap, [
      accountSubject(account),
    ]),
    clusterRoleBinding(ClusterRoleName.BootstrapTokenBinding, ClusterRoleName.Bootstrap, [
      groupSubject(GroupName.Bootstrappers),
    ]),
    ...boundRole(
      NamespaceName.KubePublic,
      'open-cluster-management:bootstrap:hub-endpoint',
      reading(ConfigMapName.ClusterInfo, ConfigMapName.RootCa),
      newClusters,
    ),
    ...boundRole(
      NamespaceName.Hub,
      'open-cluster-management:bootstrap:ca-bundle',
      reading(ConfigMapName.CaBundle),
      newClusters,
    ),
    // Anybody may read where the hub is and its CA, as on clusters of kubeadm: a joining cluster checks it by the hash it was told.
    ...boundRole(NamespaceName.KubePublic, 'open-cluster-management:cluster-info', reading(ConfigMapName.ClusterInfo), [
      groupSubject('system:unauthenticated'),
      groupSubject(GroupName.Authenticated),
    ]),
  ].map(asMadeByCli);
