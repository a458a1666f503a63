import { MountPath, SecretName } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';
import {
  defineOptions,
  featureGatesOption,
  gatesOf,
  kubeOptions,
  leaderElectionOptions,
  type OptionDefinitions,
  type OptionValues,
} from '@flotilla/kube/process';
import type { Driver } from '../contract/index.ts';

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
  bootstrapKubeconfig: {
    type: 'string',
    default: '',
    group,
    description:
      'Kubeconfig with which the agent asks the hub to let the cluster join. A new file is used without restart.',
  },
  bootstrapKubeconfigSecret: {
    type: 'string',
    default: SecretName.BootstrapHubKubeconfig,
    group,
    deprecated: 'the file itself is followed',
    description: 'Ignored; there because deployments of OCM have it.',
  },
  bootstrapKubeconfigs: {
    type: 'list',
    group,
    description:
      'With the gate MultipleHubs, instead of --bootstrap-kubeconfig: one for each hub, at least two, the preferred one first.',
  },
  hubConnectionTimeoutSeconds: {
    type: 'integer',
    default: 600,
    min: 1,
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
    description: 'How often the status of the cluster is looked at when nothing changes.',
  },
  maxCustomClusterClaims: {
    type: 'integer',
    default: 20,
    min: 0,
    group,
    description: 'How many claims besides the reserved ones the hub is told.',
  },
  reservedClusterClaimSuffixes: {
    type: 'list',
    group,
    description: 'Claims whose names end so are told first and do not count.',
  },
  clusterAnnotations: {
    type: 'map',
    group,
    description: 'Annotations of the ManagedCluster; their keys begin with agent.open-cluster-management.io.',
  },
  registrationAuth: {
    type: 'string',
    default: '',
    group,
    description: 'How the agent proves who it is; csr if empty.',
  },
  addonKubeclientRegistrationAuth: {
    type: 'string',
    default: 'csr',
    group,
    description: 'How add-ons that ask for access to the hub get it; csr is the only way so far.',
  },
  addonTokenExpirationSeconds: {
    type: 'integer',
    default: 31_536_000,
    group,
    deprecated: 'there are no tokens for add-ons yet',
    description: 'Ignored; there because deployments of OCM have it.',
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
    deprecated: 'OCM does not heed it here either',
    description: 'Ignored; there because deployments of OCM may have it.',
  },
  hubKubeApiBurst: {
    type: 'integer',
    group,
    deprecated: 'OCM does not heed it here either',
    description: 'Ignored; there because deployments of OCM may have it.',
  },
  terminateOnFiles: {
    type: 'list',
    deprecated: 'files are read again when they change, so nothing has to end',
    description: 'Ignored; there because deployments of OCM have it.',
  },
  featureGates: featureGatesOption(gatesOf('spoke-registration')),
});

/** All flags of a process that runs a registration agent: OCM's, and those of its drivers. */
export const registrationFlags = (drivers: readonly Driver[]) => {
  const ofDrivers: OptionDefinitions = Object.assign({}, ...drivers.map(({ options }) => options.agent));
  return defineOptions({ ...ofDrivers, ...kubeOptions, ...leaderElectionOptions, ...agentFlags });
};

/** The bootstrap kubeconfigs that the flags name, the preferred one first. How many it takes is said elsewhere. */
export function bootstrapFiles(
  options: Pick<OptionValues<typeof agentFlags>, 'bootstrapKubeconfig' | 'bootstrapKubeconfigs' | 'featureGates'>,
): readonly [string, ...string[]] {
  const { bootstrapKubeconfig, bootstrapKubeconfigs, featureGates } = options;
  const [preferred, ...others] = featureGates.MultipleHubs ? bootstrapKubeconfigs : [bootstrapKubeconfig];
  if (preferred) return [preferred, ...others];
  const flag = featureGates.MultipleHubs ? 'bootstrap-kubeconfigs' : 'bootstrap-kubeconfig';
  throw new KubeError('Config', `${flag} is required`, {
    hint: `Give --${flag} the kubeconfig with which this cluster asks its hub to let it join.`,
  });
}

/** Refuses a way for add-ons that is not there, in OCM's words. */
export function checkAddonAuth(auth: string): void {
  if (auth === '' || auth === 'csr') return;
  throw new KubeError('Config', `unsupported addon-kubeclient-registration-auth: ${auth}`, {
    hint: 'Leave --addon-kubeclient-registration-auth out, or give csr; token is not there yet.',
  });
}
