import { addonManagerRules } from '@flotilla/addon-manager';
import {
  ApiGroup,
  ClusterRoleName,
  ConfigMapName,
  GroupName,
  HubRoleSuffix,
  NamespaceName,
  Permission,
  ServiceAccountName,
} from '@flotilla/api-types';
import type { ServiceAccount } from '@flotilla/kube/kinds';
import { placementDebugRules, placementRules } from '@flotilla/placement';
import { hubNamespaceRules, hubRules } from '@flotilla/registration-core/hub';
import { pushAgentsAccount } from '@flotilla/registration-core/push';
import type { KubeObject } from '@flotilla/schema';
import { workManagerRules, workWebhookRules } from '@flotilla/work-manager';
import { clusterProxyObjects } from '../hub/cluster-proxy.ts';
import type { RegistrationDrivers } from '../hub/controllers.ts';
import { grpcServerObjects } from '../hub/grpc-server.ts';
import { importerRules } from '../hub/importer-rules.ts';
import { pushAgentsAccess } from '../hub/push-agents.ts';
import { namespace } from '../objects/namespace.ts';
import {
  accountSubject,
  boundClusterRole,
  boundRole,
  clusterRole,
  clusterRoleBinding,
  groupSubject,
  type Rules,
  serviceAccount,
} from '../objects/rbac.ts';
import { hasGrpc, type OperatedHub } from './operated-hub.ts';

/** Who may read metrics is asked of the API server. */
const callerRules: Rules = [
  { apiGroups: [ApiGroup.Authentication], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: [ApiGroup.Authorization], resources: ['subjectaccessreviews'], verbs: ['create'] },
];

const leaderRules: Rules = [
  { apiGroups: [ApiGroup.Coordination], resources: ['leases'], verbs: ['get', 'create', 'update', 'patch'] },
];

const roleName = ({ name }: OperatedHub, suffix: string): string =>
  ClusterRoleName.HubComponent.of({ clusterManager: name, suffix });

/** A program with a role for the whole cluster, and its lease in the namespace of the hub if it elects a leader. */
const programAccess = (
  hub: OperatedHub,
  account: ServiceAccount,
  { suffix, rules, elects }: { suffix: string; rules: Rules; elects: boolean },
): KubeObject[] => {
  const subjects = [accountSubject(account)];
  const name = roleName(hub, suffix);
  return [
    account,
    ...boundClusterRole(name, rules, subjects),
    ...(elects ? boundRole(hub.namespace, name, leaderRules, subjects) : []),
  ];
};

/** What the registration controllers may do, with the drivers and features of this hub. */
const registrationRules = (hub: OperatedHub, drivers: RegistrationDrivers): Rules => [
  ...hubRules(drivers).filter(
    ({ apiGroups }) => hub.features.clusterProfile || !apiGroups?.includes(ApiGroup.MultiCluster),
  ),
  ...(hub.features.clusterImporter ? importerRules : []),
];

/** Makes works that name no executor, where that is checked. */
const executorAccess = (hub: OperatedHub, addonManager: ServiceAccount): KubeObject[] => {
  const role = roleName(hub, HubRoleSuffix.WorkExecutorAdmin);
  const rules: Rules = [
    {
      apiGroups: [ApiGroup.Work],
      resources: ['manifestworks'],
      verbs: [Permission.ExecuteAs.verb],
      // Of no namespace: the account that works name when they name none.
      resourceNames: [`system:serviceaccount::${ServiceAccountName.DefaultExecutor}`],
    },
  ];
  const binding = roleName(hub, HubRoleSuffix.AddOnManagerWorkExecutor);
  return [
    clusterRole(role, rules),
    ...(hub.features.addonManager ? [clusterRoleBinding(binding, role, [accountSubject(addonManager)])] : []),
  ];
};

/** New clusters read the authorities of the gRPC server by its name, and no other ConfigMap. */
const bundleAccess = (hub: OperatedHub): KubeObject[] => {
  const bootstrap = serviceAccount(NamespaceName.Operator, ServiceAccountName.AgentRegistrationBootstrap);
  const rules: Rules = [
    { apiGroups: [''], resources: ['configmaps'], resourceNames: [ConfigMapName.CaBundle], verbs: ['get'] },
  ];
  const subjects = [
    accountSubject(bootstrap),
    groupSubject(GroupName.Bootstrappers),
    groupSubject(GroupName.RestrictedBootstrappers),
  ];
  return [...boundRole(hub.namespace, 'open-cluster-management:bootstrap:ca-bundle', rules, subjects)];
};

/** Records of join tokens are in the namespace of hubs in default mode, also for a hosted one. */
const recordAccess = (hub: OperatedHub, account: ServiceAccount): KubeObject[] => [
  ...(hub.hosted ? [namespace(NamespaceName.Hub)] : []),
  ...boundRole(
    NamespaceName.Hub,
    `${roleName(hub, HubRoleSuffix.RegistrationController)}-records`,
    hubNamespaceRules(),
    [accountSubject(account)],
  ),
];

/** As whom the programs of a hub run, with the rights that each of them needs: on the cluster that is the hub. */
export function operatedAccess(hub: OperatedHub, drivers: RegistrationDrivers): KubeObject[] {
  const accountOf = (name: string) => serviceAccount(hub.namespace, name);
  const { features, registrationAccountAnnotations: annotations } = hub;
  const registration = accountOf(ServiceAccountName.RegistrationController);
  const annotated = { ...registration, metadata: { ...registration.metadata, annotations: { ...annotations } } };
  const addonManager = accountOf(ServiceAccountName.AddOnManagerController);
  const program = (account: ServiceAccount, suffix: string, rules: Rules, elects = true) =>
    programAccess(hub, account, { suffix, rules: [...rules, ...(elects ? callerRules : [])], elects });
  const placement = [...placementRules(), ...(features.placementDebug ? placementDebugRules() : [])];
  const namespaces: Rules = [{ apiGroups: [ApiGroup.Core], resources: ['namespaces'], verbs: ['get'] }];
  return [
    ...program(annotated, HubRoleSuffix.RegistrationController, registrationRules(hub, drivers)),
    ...recordAccess(hub, registration),
    ...program(
      accountOf(ServiceAccountName.RegistrationWebhook),
      HubRoleSuffix.RegistrationWebhook,
      [...namespaces, ...callerRules],
      false,
    ),
    ...program(
      accountOf(ServiceAccountName.WorkWebhook),
      HubRoleSuffix.WorkWebhook,
      [...workWebhookRules(), ...callerRules],
      false,
    ),
    // It converts objects that it is given, and needs no other rights.
    ...program(accountOf(ServiceAccountName.AddOnWebhook), HubRoleSuffix.AddOnWebhook, callerRules, false),
    ...program(accountOf(ServiceAccountName.PlacementController), HubRoleSuffix.PlacementController, placement),
    ...(features.workController
      ? program(accountOf(ServiceAccountName.WorkController), HubRoleSuffix.WorkController, workManagerRules())
      : []),
    ...(features.addonManager ? program(addonManager, HubRoleSuffix.AddOnManagerController, addonManagerRules()) : []),
    ...executorAccess(hub, addonManager),
    ...(hasGrpc(hub) ? [...grpcServerObjects(hub), ...bundleAccess(hub)] : []),
    ...(hub.clusterProxy ? clusterProxyObjects(hub) : []),
    ...(features.pushAgents ? pushAgentsAccess(hub) : []),
  ];
}

/** A service account by its namespace and name. */
export interface AccountKey {
  readonly namespace: string;
  readonly name: string;
}

/** The service accounts of the programs of a hub, for which hosted programs need kubeconfigs. */
export const operatedAccounts = (hub: OperatedHub): AccountKey[] => [
  ...accountNames(hub).map((name) => ({ namespace: hub.namespace, name })),
  // Add-ons of pushed clusters know it by this namespace, which hosted hubs have too.
  ...(hub.features.pushAgents ? [pushAgentsAccount] : []),
];

const accountNames = (hub: OperatedHub): string[] => [
  ServiceAccountName.RegistrationController,
  ServiceAccountName.RegistrationWebhook,
  ServiceAccountName.WorkWebhook,
  ServiceAccountName.AddOnWebhook,
  ServiceAccountName.PlacementController,
  ...(hub.features.workController ? [ServiceAccountName.WorkController] : []),
  ...(hub.features.addonManager ? [ServiceAccountName.AddOnManagerController] : []),
  ...(hasGrpc(hub) ? [ServiceAccountName.GrpcServer] : []),
  ...(hub.clusterProxy ? [ServiceAccountName.ClusterProxy] : []),
];
