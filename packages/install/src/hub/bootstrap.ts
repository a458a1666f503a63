import { ClusterRoleName, ConfigMapName, GroupName, NamespaceName, ServiceAccountName } from '@flotilla/api-types';
import type { KubeObject } from '@flotilla/schema';
import {
  accountSubject,
  boundRole,
  clusterRoleBinding,
  groupSubject,
  type Rules,
  serviceAccount,
} from '../objects/rbac.ts';
import type { RegistrationDrivers } from './controllers.ts';
import { bootstrapTokenAccess } from './join-token.ts';

const account = serviceAccount(NamespaceName.Operator, ServiceAccountName.AgentRegistrationBootstrap);

const reading = (...resourceNames: string[]): Rules => [
  { apiGroups: [''], resources: ['configmaps'], resourceNames, verbs: ['get'] },
];

/** Holders of bootstrap tokens, of join tokens with a role of their own, and of tokens of the bootstrap account. */
const newClusters = [
  accountSubject(account),
  groupSubject(GroupName.Bootstrappers),
  groupSubject(GroupName.RestrictedBootstrappers),
];

/**
 * Anonymous callers may read the address and the CA of the hub, as on clusters of kubeadm: a joining cluster compares the CA with the
 * hash in its join command. Clusters that joined read another address from it before it is used.
 */
export const clusterInfoAccess = (): KubeObject[] => [
  ...boundRole(NamespaceName.KubePublic, 'open-cluster-management:cluster-info', reading(ConfigMapName.ClusterInfo), [
    groupSubject('system:unauthenticated'),
    groupSubject(GroupName.Authenticated),
  ]),
];

/** Allows clusters to request to join: the service account whose token they get, and what such a cluster may do. */
export const bootstrapObjects = (drivers: RegistrationDrivers): KubeObject[] => [
  account,
  // Request to join and read the answer. No Secret, and ConfigMaps only by name.
  ...bootstrapTokenAccess(drivers),
  clusterRoleBinding(ClusterRoleName.BootstrapServiceAccountBinding, ClusterRoleName.Bootstrap, [
    accountSubject(account),
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
  ...clusterInfoAccess(),
];
