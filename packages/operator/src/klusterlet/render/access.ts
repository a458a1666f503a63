import {
  Annotation,
  ApiGroup,
  ClusterRoleName,
  ConfigMapName,
  Label,
  NamespaceName,
  RoleName,
  SecretName,
  ServiceAccountName,
} from '@flotilla/api-types';
import {
  accountSubject,
  agentRules,
  boundClusterRole,
  boundRole,
  clusterProxyRole,
  clusterRole,
  clusterRoleBinding,
  type Rules,
  serviceAccount,
} from '@flotilla/install';
import type { ClusterRole, RoleBinding, ServiceAccount } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { flavorOf } from '../config/images.ts';
import type { KlusterletConfig } from '../config/klusterlet-config.ts';
import { accountOf } from './agents.ts';

const { addonRules, executionRules, identityRules, leaderElectionRules, metricsRules, statusRules, workRules } =
  agentRules;

interface Accounts {
  /** Of whatever registers. */
  readonly registration: readonly ServiceAccount[];
  /** Of whatever applies works. */
  readonly work: readonly ServiceAccount[];
  readonly all: readonly ServiceAccount[];
}

/** The service accounts of the agents in a namespace. While the mode is switched, agents of both modes run. */
function accountsIn({ name, isSingleton, isSwitching, aws }: KlusterletConfig, namespace: string): Accounts {
  const account = (accountName: string): ServiceAccount => {
    const plain = serviceAccount(namespace, accountName);
    const annotations = aws && { annotations: { [Annotation.EksRoleArn]: aws.roleArn } };
    return {
      ...plain,
      metadata: { ...plain.metadata, ...annotations },
      imagePullSecrets: [{ name: SecretName.ImagePullCredentials }],
    };
  };
  const work = account(accountOf(name, 'work'));
  if (isSingleton && !isSwitching) return { registration: [work], work: [work], all: [work] };
  const registration = account(accountOf(name, 'registration'));
  const all = [registration, work];
  return { registration: isSwitching ? all : [registration], work: [work], all };
}

/** The rights of the agents on their managed cluster, with OCM's names. */
export function managedAccess(config: KlusterletConfig): KubeObject[] {
  const { name: klusterlet, klusterletNamespace, registrationGates, isHosted } = config;
  const { registration, work, all } = accountsIn(config, klusterletNamespace);
  // Hosted, callers of /metrics are those of the management cluster.
  const reviews = isHosted ? [] : metricsRules;
  return [
    ...all,
    ...boundClusterRole(
      ClusterRoleName.RegistrationAgent.of({ klusterlet }),
      [...statusRules, ...reviews],
      registration.map(accountSubject),
    ),
    ...boundClusterRole(
      ClusterRoleName.RegistrationAgentAddOnManagement.of({ klusterlet }),
      registrationGates.isOn('AddonManagement') ? addonRules : [],
      registration.map(accountSubject),
    ),
    ...(registrationGates.isOn('ClusterProxy')
      ? boundClusterRole(
          clusterProxyRole(klusterlet),
          agentRules.impersonationRules(),
          registration.map(accountSubject),
        )
      : []),
    // Works with an executor are reviewed on the managed cluster too.
    ...boundClusterRole(
      ClusterRoleName.WorkAgent.of({ klusterlet }),
      [...workRules, ...metricsRules],
      work.map(accountSubject),
    ),
    ...(config.grantsWorkPayloads ? payloadAccess(klusterlet, work) : []),
  ];
}

/** What works may contain. It stands apart from the rest, so that an administrator sees it, and may have it left out. */
function payloadAccess(klusterlet: string, work: readonly ServiceAccount[]): KubeObject[] {
  const subjects = work.map(accountSubject);
  const execution = ClusterRoleName.WorkAgentExecution.of({ klusterlet });
  const aggregate = ClusterRoleName.WorkAgentAggregate.of({ klusterlet });
  return [
    {
      ...clusterRole(execution, executionRules),
      metadata: { name: execution, labels: { [Label.AggregateToWork]: 'true' } },
    },
    clusterRoleBinding(ClusterRoleName.WorkAgentExecutionAdmin.of({ klusterlet }), 'admin', subjects),
    clusterRoleBinding(aggregate, aggregate, subjects),
  ];
}

/** The role that collects the roles which users label. Its rules are filled in by Kubernetes, so it is created and then left alone. */
export const aggregateRole = (klusterlet: string): ClusterRole => ({
  apiVersion: `${ApiGroup.Rbac}/v1`,
  kind: 'ClusterRole',
  metadata: { name: ClusterRoleName.WorkAgentAggregate.of({ klusterlet }) },
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [Label.AggregateToWork]: 'true' } }] },
});

/** What OCM's programs do in their own namespace besides: Events, of the pod or its owner, and their election's older form. */
const ocmRules: Rules = [
  {
    apiGroups: [ApiGroup.Core],
    resources: ['configmaps'],
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch'],
  },
  { apiGroups: [ApiGroup.Core, ApiGroup.Events], resources: ['events'], verbs: ['create', 'patch', 'update'] },
  { apiGroups: [ApiGroup.Core], resources: ['pods'], verbs: ['get'] },
  { apiGroups: [ApiGroup.Apps], resources: ['replicasets'], verbs: ['get'] },
];

/** The rights of the agents where they run, with OCM's names. */
export function managementAccess(config: KlusterletConfig): KubeObject[] {
  const { name: klusterlet, agentNamespace, isHosted, isSingleton, images, registrationGates } = config;
  const { registration, work, all } = accountsIn(config, agentNamespace);
  const besides = (image: string) => (flavorOf(isSingleton ? images.singleton : image) === 'ocm' ? ocmRules : []);
  const hosted = [...(registrationGates.isOn('AddonManagement') ? addonRules : []), ...metricsRules];
  const addOns = ClusterRoleName.ManagementAddOnManagement.of({ klusterlet });
  return [
    ...all,
    ...boundRole(
      agentNamespace,
      RoleName.ManagementRegistrationAgent.of({ klusterlet }),
      [...identityRules, ...leaderElectionRules, ...besides(images.registration)],
      registration.map(accountSubject),
    ),
    ...boundRole(
      agentNamespace,
      RoleName.ManagementWorkAgent.of({ klusterlet }),
      [...leaderElectionRules, ...besides(images.work)],
      work.map(accountSubject),
    ),
    ...callerAuthentication(config, { registration, work, all }),
    ...listedSecretsAccess(config),
    clusterRole(addOns, isHosted ? hosted : []),
    clusterRoleBinding(addOns, addOns, (isHosted ? all : registration).map(accountSubject)),
  ];
}

/** OCM's programs authenticate callers of their port by a ConfigMap of kube-system. */
function callerAuthentication({ name: klusterlet }: KlusterletConfig, accounts: Accounts): KubeObject[] {
  const namespace = NamespaceName.KubeSystem;
  const role = RoleName.ManagementExtensionApiServer.of({ klusterlet });
  const read = {
    apiGroups: [ApiGroup.Core],
    resources: ['configmaps'],
    resourceNames: [ConfigMapName.ExtensionApiServerAuthentication],
    verbs: ['get', 'list', 'watch'],
  };
  const [rendered] = boundRole(namespace, role, [read], []);
  const bind = (component: string, bound: readonly ServiceAccount[]): RoleBinding => ({
    apiVersion: `${ApiGroup.Rbac}/v1`,
    kind: 'RoleBinding',
    metadata: { name: `open-cluster-management:management:${klusterlet}-${component}:extension-apiserver`, namespace },
    roleRef: { apiGroup: ApiGroup.Rbac, kind: 'Role', name: role },
    subjects: bound.map(accountSubject),
  });
  return [rendered, bind('registration', accounts.registration), bind('work', accounts.work)];
}

/** Lets the operator read the Secrets that a Klusterlet with several hubs lists, to say whether a hub can be reached by them. */
function listedSecretsAccess({ name, agentNamespace, hubSecrets, operatorNamespace }: KlusterletConfig): KubeObject[] {
  if (hubSecrets.length === 0) return [];
  const operator = serviceAccount(operatorNamespace, ServiceAccountName.Klusterlet);
  const rule = {
    apiGroups: [ApiGroup.Core],
    resources: ['secrets'],
    resourceNames: [...hubSecrets],
    verbs: ['get', 'list', 'watch'],
  };
  const role = `open-cluster-management:management:${name}:bootstrap-secrets`;
  return [...boundRole(agentNamespace, role, [rule], [accountSubject(operator)])];
}
