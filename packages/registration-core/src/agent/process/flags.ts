import { featureGateChoices, MountPath, SecretName } from '@flotilla/api-types';
import { defineOptions, featureGatesOption, kubeOptions, leaderElectionOptions } from '@flotilla/process';
import { type Driver, driverOptions } from '../../contract/index.ts';
import { absentDriverFlags } from './absent-driver-flags.ts';

const group = 'Registration';

/** The flags of a registration agent, with OCM's names and defaults. Those of the drivers come beside them. */
export const agentFlags = defineOptions({
  clusterName: {
    type: 'string',
    default: '',
    group,
    deprecated: 'use --spoke-cluster-name',
    description: 'Older name of --spoke-cluster-name.',
  },
  spokeClusterName: {
    type: 'string',
    default: '',
    group,
    description: 'Name of this cluster on the hub. Without it: the one it had before, or else a random one.',
  },
  agentId: {
    type: 'string',
    default: '',
    group,
    description: 'Name of this agent. Without it: the one it had before, or else a random one.',
  },
  spokeKubeconfig: {
    type: 'string',
    group,
    description: 'Kubeconfig of the managed cluster, if the agent runs on another one.',
  },
  bootstrapKubeconfigSecret: {
    type: 'string',
    default: SecretName.BootstrapHubKubeconfig,
    group,
    deprecated: 'the file itself is followed',
    description: 'Ignored; there because deployments of OCM have it.',
  },
  hubConnectionTimeoutSeconds: {
    type: 'integer',
    default: 600,
    min: 1,
    zeroIsDefault: true,
    group,
    description: 'With the gate MultipleHubs: how long a hub may be silent before the agent moves to another.',
  },
  hubKubeconfigDir: {
    type: 'string',
    group,
    description: `Directory for copies of the identity as files (kubeconfig, tls.crt, …), for processes that read them there. Without it: ${MountPath.HubKubeconfigDirectory} if there is one.`,
  },
  hubKubeconfigSecret: {
    type: 'string',
    default: SecretName.HubKubeconfig,
    group,
    description: "Secret in the agent's namespace that keeps its identity on the hub.",
  },
  spokeExternalServerUrls: {
    type: 'list',
    group,
    description: 'Addresses (https) at which the hub reaches the API server of this cluster.',
  },
  clusterHealthcheckPeriod: {
    type: 'duration',
    default: '1m',
    group,
    description: 'How often to check the status of the cluster when nothing changes.',
  },
  maxCustomClusterClaims: {
    type: 'integer',
    default: 20,
    min: 0,
    group,
    description: 'How many claims to report to the hub besides the reserved ones.',
  },
  reservedClusterClaimSuffixes: {
    type: 'list',
    group,
    description: 'Report claims whose names end so first, and do not count them.',
  },
  reportClusterId: {
    type: 'boolean',
    group,
    description:
      'Report the claim id.k8s.io also if the cluster has none: the property cluster.clusterset.k8s.io, else the uid of kube-system.',
  },
  clusterAnnotations: {
    type: 'map',
    group,
    description: 'Annotations of the ManagedCluster; their keys begin with agent.open-cluster-management.io.',
  },
  clusterLabels: {
    type: 'map',
    group,
    description: 'Labels of the ManagedCluster when it is created. Later only the hub changes them.',
  },
  registrationAuth: {
    type: 'string',
    default: '',
    group,
    description: 'Auth type by which the cluster registers; the first one of this program if empty.',
  },
  addonKubeclientRegistrationAuth: {
    type: 'string',
    default: '',
    group,
    description:
      "Auth type for add-ons that ask for access to the hub's API; that of the first driver that serves add-ons if empty.",
  },
  hubKubeconfig: {
    type: 'string',
    group,
    deprecated: 'the Secret is what counts, and its copy is in --hub-kubeconfig-dir',
    description: 'Ignored; there because deployments of OCM may have it.',
  },
  hubKubeApiQps: {
    type: 'number',
    group,
    deprecated: 'OCM ignores it too',
    description: 'Ignored; there because deployments of OCM may have it.',
  },
  hubKubeApiBurst: {
    type: 'integer',
    group,
    deprecated: 'OCM ignores it too',
    description: 'Ignored; there because deployments of OCM may have it.',
  },
  terminateOnFiles: {
    type: 'list',
    deprecated: 'files are read again when they change, so nothing has to end',
    description: 'Ignored; there because deployments of OCM have it.',
  },
  featureGates: featureGatesOption(featureGateChoices('spoke-registration')),
});

/** All flags of a process that runs a registration agent: OCM's, and those of its drivers. */
export const registrationFlags = (drivers: readonly Driver[]) =>
  defineOptions({
    ...absentDriverFlags,
    ...driverOptions(drivers, 'agent'),
    ...kubeOptions,
    ...leaderElectionOptions,
    ...agentFlags,
    registrationAuth: {
      ...agentFlags.registrationAuth,
      description: `Auth type by which the cluster registers: ${clusterAuthTypes(drivers).join(', ')}; the first of these if empty.`,
    },
  });

/** The auth types by which clusters can register. */
export const clusterAuthTypes = (drivers: readonly Driver[]): string[] =>
  drivers.filter(({ agent }) => agent !== undefined).map(({ authType }) => authType);
