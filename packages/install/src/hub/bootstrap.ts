import { ClusterRoleName, ConfigMapName, GroupName, NamespaceName, ServiceAccountName } from '@flotilla/api-types';
import { bootstrapRules } from '@flotilla/registration-core/hub';
import type { KubeObject } from '@flotilla/schema';
import {
  accountSubject,
  boundRole,
  clusterRole,
  clusterRoleBinding,
  groupSubject,
  type Rules,
  serviceAccount,
} from '../objects/rbac.ts';
import type { RegistrationDrivers } from './controllers.ts';

const account = serviceAccount(NamespaceName.Operator, ServiceAccountName.AgentRegistrationBootstrap);

const reading = (...resourceNames: string[]): Rules => [
  { apiGroups: [''], resources: ['configmaps'], resourceNames, verbs: ['get'] },
];

/** Holders of bootstrap tokens and of tokens of the bootstrap account. */
const newClusters = [accountSubject(account), groupSubject(GroupName.Bootstrappers)];

/** Allows clusters to request to join: the service account whose token they get, and what such a cluster may do. */
export const bootstrapObjects = (drivers: RegistrationDrivers): KubeObject[] => [
  account,
  // Request to join and read the answer. No Secret, and ConfigMaps only by name.
  clusterRole(ClusterRoleName.Bootstrap, bootstrapRules(drivers)),
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
  // Anonymous callers may read the address and the CA of the hub, as on clusters of kubeadm: a joining cluster compares the CA with
  // the hash in its join command. Clusters that joined read another address from it before it is used.
  ...boundRole(NamespaceName.KubePublic, 'open-cluster-management:cluster-info', reading(ConfigMapName.ClusterInfo), [
    groupSubject('system:unauthenticated'),
    groupSubject(GroupName.Authenticated),
  ]),
];
