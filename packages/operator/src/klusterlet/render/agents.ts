import { AppLabelValue, MountPath, SecretName, ServiceAccountName } from '@flotilla/api-types';
import type { Deployment } from '@flotilla/kube/kinds';
import { flavorOf } from '../config/images.ts';
import type { KlusterletConfig } from '../config/klusterlet-config.ts';
import { registrationArgs, singletonArgs, workArgs } from './agent-args.ts';
import { type AgentMount, agentDeployment, bootstrapMounts, hostedMounts } from './agent-deployment.ts';

/** The agents of a klusterlet. */
export type AgentKind = 'registration' | 'work' | 'singleton';

/** Names of the Deployments of a klusterlet. */
export const agentDeploymentName = (klusterlet: string, agent: AgentKind): string =>
  agent === 'singleton' ? `${klusterlet}-agent` : `${klusterlet}-${agent}-agent`;

/** The agents that a klusterlet consists of. */
export const agentKinds = ({ isSingleton }: Pick<KlusterletConfig, 'isSingleton'>): readonly AgentKind[] =>
  isSingleton ? ['singleton'] : ['registration', 'work'];

/** The Secret with the kubeconfig of the managed cluster that a hosted agent has. */
export const hostedSecretOf = (agent: AgentKind): string => {
  if (agent === 'singleton') return SecretName.ExternalManagedKubeconfigAgent;
  return agent === 'work' ? SecretName.ExternalManagedKubeconfigWork : SecretName.ExternalManagedKubeconfigRegistration;
};

/** The service account of an agent: one process has that of works. */
export const accountOf = (klusterlet: string, agent: AgentKind): string =>
  agent === 'registration'
    ? ServiceAccountName.RegistrationAgent.of({ klusterlet })
    : ServiceAccountName.WorkAgent.of({ klusterlet });

/**
 * The Deployments of a klusterlet. There is none of the work agent before the name of the cluster is known, and it has no pods before
 * there is a Secret for the credentials.
 */
export const agentDeployments = (config: KlusterletConfig): Deployment[] => {
  if (config.isSingleton) return [singletonAgent(config)];
  return [registrationAgent(config), ...(config.clusterName ? [workAgent(config)] : [])];
};

const registrationAgent = (config: KlusterletConfig): Deployment =>
  agentDeployment(config, {
    name: agentDeploymentName(config.name, 'registration'),
    app: AppLabelValue.RegistrationAgent,
    replicas: config.replicas,
    serviceAccount: accountOf(config.name, 'registration'),
    container: 'registration-controller',
    image: config.images.registration,
    args: registrationArgs(config),
    mounts: [
      ...bootstrapMounts(config),
      ...credentialCopies(config.images.registration),
      ...hostedMounts(config, hostedSecretOf('registration')),
    ],
  });

const workAgent = (config: KlusterletConfig): Deployment =>
  agentDeployment(config, {
    name: agentDeploymentName(config.name, 'work'),
    app: AppLabelValue.WorkAgent,
    replicas: config.hasHubSecret ? config.replicas : 0,
    serviceAccount: accountOf(config.name, 'work'),
    container: 'klusterlet-manifestwork-agent',
    image: config.images.work,
    args: workArgs(config),
    mounts: [
      {
        volume: { name: 'hub-kubeconfig-secret', secret: { secretName: SecretName.HubKubeconfig } },
        path: MountPath.HubKubeconfigDirectory,
        isReadOnly: true,
      },
      ...hostedMounts(config, hostedSecretOf('work')),
    ],
  });

const singletonAgent = (config: KlusterletConfig): Deployment =>
  agentDeployment(config, {
    name: agentDeploymentName(config.name, 'singleton'),
    app: AppLabelValue.SingletonAgent,
    replicas: config.replicas,
    serviceAccount: accountOf(config.name, 'singleton'),
    container: 'klusterlet-agent',
    image: config.images.singleton,
    args: singletonArgs(config),
    mounts: [
      ...bootstrapMounts(config),
      ...credentialCopies(config.images.singleton),
      ...hostedMounts(config, hostedSecretOf('singleton')),
    ],
  });

/** OCM's agents work with copies of their Secret in memory. Flotilla's need none, and make none without the directory. */
const credentialCopies = (image: string): AgentMount[] =>
  flavorOf(image) === 'ocm'
    ? [
        {
          volume: { name: 'hub-kubeconfig', emptyDir: { medium: 'Memory' } },
          path: MountPath.HubKubeconfigDirectory,
        },
      ]
    : [];
