import { AppLabelValue, NamespaceName, ObjectName, SecretName, ServiceAccountName } from '@flotilla/api-types';
import type { Deployment, ServiceAccount } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { type DeploymentValues, deployment, podName } from '../objects/deployment.ts';
import { annotatedAccount, optionsFrom, type ProgramValues } from '../objects/program-options.ts';
import { accountSubject, boundClusterRole, boundRole, type Rules, serviceAccount } from '../objects/rbac.ts';
import { identityRules, leaderElectionRules, metricsRules, registrationRules } from './registration-rules.ts';
import { workPayloadAccess, workRules } from './work-rules.ts';

const namespace = NamespaceName.Agent;
const klusterlet = ObjectName.Klusterlet;

const registrationAccount = serviceAccount(namespace, ServiceAccountName.RegistrationAgent.of({ klusterlet }));
const workAccount = serviceAccount(namespace, ServiceAccountName.WorkAgent.of({ klusterlet }));

/** Where the flags of the agent are that `join` was given. */
export const agentOptionsKey = { namespace, name: `${klusterlet}-options` } as const;

/** The service accounts of agents that need an annotation, such as the IAM role of their pods. */
export const annotatedAgentAccounts = (values: ProgramValues): ServiceAccount[] =>
  Object.keys(values.accountAnnotations ?? {}).length === 0
    ? []
    : [registrationAccount, workAccount].map((account) => annotatedAccount(account, values));

const role = (component: string): string => `open-cluster-management:${component}:agent`;

/** A role in the namespace of the agent, and one of the whole cluster. */
const accessOf = (component: string, account: typeof workAccount, own: Rules, whole: Rules): KubeObject[] => [
  ...boundRole(namespace, role(component), own, [accountSubject(account)]),
  ...boundClusterRole(role(component), whole, [accountSubject(account)]),
];

/** The service account of the registration agent, with the rights that it needs. */
export const registrationAgentAccess = (): KubeObject[] => [
  registrationAccount,
  ...accessOf(
    `${klusterlet}-registration`,
    registrationAccount,
    [...identityRules, ...leaderElectionRules],
    [...registrationRules, ...metricsRules],
  ),
];

/** The service account of the work agent, with the rights that it needs besides applying works. */
export const workAgentAccess = (): KubeObject[] => [
  workAccount,
  ...accessOf(`${klusterlet}-work`, workAccount, leaderElectionRules, [...workRules, ...metricsRules]),
];

/** The service account of an agent in one process, with the rights of both of its parts. */
export const singletonAgentAccess = (): KubeObject[] => [
  workAccount,
  ...accessOf(klusterlet, workAccount, [...identityRules, ...leaderElectionRules], registrationRules),
  ...boundClusterRole(role(`${klusterlet}-work`), [...workRules, ...metricsRules], [accountSubject(workAccount)]),
];

/** What works may contain: OCM's grants to the work agent. */
export const workPayloads = (): KubeObject[] => workPayloadAccess([accountSubject(workAccount)]);

/** The name under which the cluster joins, which `join` stores beside the bootstrap kubeconfig. */
const clusterName = {
  name: 'FLOTILLA_SPOKE_CLUSTER_NAME',
  valueFrom: { secretKeyRef: { name: SecretName.BootstrapHubKubeconfig, key: 'cluster-name', optional: true } },
};

const common = { namespace, replicas: 1, probeScheme: 'HTTPS' } as const;
const ports = [{ name: 'health', containerPort: 8443 }];
const listen = '--listen=0.0.0.0:8443';

/** An agent that reads the bootstrap Secret. */
const bootstrapping = {
  args: ['--bootstrap-kubeconfig=/spoke/bootstrap/kubeconfig', listen],
  env: [podName, clusterName],
  envFrom: optionsFrom(agentOptionsKey.name),
  volumeMounts: [{ name: 'bootstrap', mountPath: '/spoke/bootstrap', readOnly: true }],
  volumes: [{ name: 'bootstrap', secret: { secretName: SecretName.BootstrapHubKubeconfig } }],
} satisfies Partial<DeploymentValues['container']> & Pick<DeploymentValues, 'volumes'>;

interface Image {
  readonly image: string;
}

/** The registration agent as a Deployment. */
export const registrationAgentDeployment = ({ image }: Image): Deployment => {
  const { args, env, envFrom, volumeMounts, volumes } = bootstrapping;
  return deployment({
    ...common,
    name: `${klusterlet}-registration-agent`,
    app: AppLabelValue.RegistrationAgent,
    serviceAccount: registrationAccount.metadata?.name ?? '',
    container: {
      name: 'registration-controller',
      image,
      args: ['registration', ...args],
      env,
      envFrom,
      ports,
      volumeMounts,
    },
    volumes,
  });
};

/** The work agent as a Deployment. It reads the identity that the registration agent stores. */
export const workAgentDeployment = ({ image }: Image): Deployment =>
  deployment({
    ...common,
    name: `${klusterlet}-work-agent`,
    app: AppLabelValue.WorkAgent,
    serviceAccount: workAccount.metadata?.name ?? '',
    container: {
      name: 'klusterlet-manifestwork-agent',
      image,
      args: ['work', listen],
      env: [podName],
      ports,
      volumeMounts: [{ name: 'hub-kubeconfig', mountPath: '/spoke/hub-kubeconfig', readOnly: true }],
    },
    volumes: [{ name: 'hub-kubeconfig', secret: { secretName: SecretName.HubKubeconfig, optional: true } }],
  });

/** An agent in one process as a Deployment. */
export const singletonAgentDeployment = ({ image }: Image): Deployment => {
  const { args, env, envFrom, volumeMounts, volumes } = bootstrapping;
  return deployment({
    ...common,
    name: `${klusterlet}-agent`,
    app: AppLabelValue.SingletonAgent,
    serviceAccount: workAccount.metadata?.name ?? '',
    container: { name: 'klusterlet-agent', image, args, env, envFrom, ports, volumeMounts },
    volumes,
  });
};
