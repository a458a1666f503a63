import {
  bootstrapTokenId,
  ClusterRoleName,
  ConfigMapName,
  GroupName,
  Label,
  NamespaceName,
  SecretName,
  ServiceAccountName,
} from '@flotilla/api-types';
import type { Secret } from '@flotilla/kube/kinds';
import { bootstrapRules } from '@flotilla/registration-core/hub';
import type { KubeObject } from '@flotilla/schema';
import type { RegistrationDrivers } from '../hub/controllers.ts';
import {
  accountSubject,
  clusterRole,
  clusterRoleBinding,
  groupSubject,
  type Rules,
  serviceAccount,
} from '../objects/rbac.ts';
import { withoutEmpty } from './merge-values.ts';
import type { ClusterManagerChartValues } from './values.ts';

type BootstrapValues = Pick<ClusterManagerChartValues, 'createBootstrapSA' | 'createBootstrapToken' | 'bootstrapToken'>;

/** What a cluster may do before it has joined. ConfigMaps by name: OCM's role allows to read all. */
export const bootstrapAccessRules = (drivers: RegistrationDrivers): Rules => [
  ...bootstrapRules(drivers),
  {
    apiGroups: [''],
    resources: ['configmaps'],
    resourceNames: [ConfigMapName.ClusterInfo, ConfigMapName.RootCa, ConfigMapName.CaBundle],
    verbs: ['get'],
  },
];

/** What lets clusters request to join: a role, and a service account or a bootstrap token, or both, that have it. */
export function bootstrapAccess(
  { createBootstrapSA, createBootstrapToken, bootstrapToken }: BootstrapValues,
  drivers: RegistrationDrivers,
): KubeObject[] {
  if (!createBootstrapSA && !createBootstrapToken) return [];
  const role = ClusterRoleName.Bootstrap;
  const account = serviceAccount(NamespaceName.Operator, ServiceAccountName.AgentRegistrationBootstrap);
  const ofAccount = ClusterRoleName.BootstrapServiceAccountBinding;
  const ofToken = ClusterRoleName.BootstrapTokenBinding;
  return [
    ...(createBootstrapSA ? [account] : []),
    clusterRole(role, bootstrapAccessRules(drivers)),
    ...(createBootstrapSA ? [clusterRoleBinding(ofAccount, role, [accountSubject(account)])] : []),
    ...(createBootstrapToken
      ? [
          clusterRoleBinding(ofToken, role, [groupSubject(GroupName.Bootstrappers)]),
          bootstrapTokenSecret(bootstrapToken),
        ]
      : []),
  ];
}

/** The users that such clusters are, for the gate ManagedClusterAutoApproval. */
export const bootstrapUsers = ({ createBootstrapSA, createBootstrapToken }: BootstrapValues): string[] => [
  ...(createBootstrapSA
    ? [`system:serviceaccount:${NamespaceName.Operator}:${ServiceAccountName.AgentRegistrationBootstrap}`]
    : []),
  // The first is what OCM writes, the second what holders of the token are.
  ...(createBootstrapToken
    ? [
        `system:bootstrap:${SecretName.BootstrapToken.of({ tokenId: bootstrapTokenId })}`,
        `system:bootstrap:${bootstrapTokenId}`,
      ]
    : []),
];

const bootstrapTokenSecret = ({ secret, expiration }: BootstrapValues['bootstrapToken']): Secret => {
  const data = withoutEmpty({
    'token-id': bootstrapTokenId,
    'token-secret': secret,
    expiration,
    'usage-bootstrap-authentication': 'true',
    'auth-extra-groups': GroupName.Bootstrappers,
  });
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: SecretName.BootstrapToken.of({ tokenId: bootstrapTokenId }),
      namespace: NamespaceName.KubeSystem,
      labels: { [Label.App]: 'cluster-manager' },
    },
    type: 'bootstrap.kubernetes.io/token',
    data: Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value ?? '').toString('base64')]),
    ),
  };
};
