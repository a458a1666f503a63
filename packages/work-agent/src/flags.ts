import { featureGateChoices, MountPath } from '@flotilla/api-types';
import { defineOptions, featureGatesOption } from '@flotilla/process';

const group = 'Work';

/** The flags that only a work agent has, with OCM's names and defaults. A process of several agents adds them to those of the others. */
export const workFlags = defineOptions({
  workloadSourceDriver: {
    type: 'choice',
    choices: ['kube', 'grpc'],
    default: 'kube',
    group,
    description: 'Where works come from: the API server of the hub, or its gRPC server.',
  },
  statusSyncInterval: {
    type: 'duration',
    default: '10s',
    min: '1s',
    zeroIsDefault: true,
    group,
    description:
      'How often objects are read that the agent is not allowed to watch. All others are watched and never polled.',
  },
  appliedmanifestworkEvictionGracePeriod: {
    type: 'duration',
    default: '60m',
    group,
    description: 'How long applied objects stay when their work is gone from the hub; 876000h and more is for ever.',
  },
  maxJsonRawLength: {
    type: 'integer',
    default: 1024,
    min: 0,
    group,
    description: 'The longest feedback value that is reported as JSON, in bytes.',
  },
  maxFeedbackWatch: {
    type: 'integer',
    default: 50,
    min: 0,
    group,
    deprecated: 'one watch serves all objects of a kind',
    description: 'Ignored; there because deployments of OCM have it.',
  },
  cloudeventsClientId: {
    type: 'string',
    default: '',
    group,
    description:
      'What the agent calls itself in reports over gRPC. Without it: the name of the cluster and -work-agent.',
  },
  cloudeventsClientCodecs: {
    type: 'list',
    group,
    deprecated: 'OCM does not heed it either',
    description: 'Ignored; there because deployments of OCM have it.',
  },
});

/** The flags of a work agent that runs by itself. */
export const workAgentFlags = defineOptions({
  ...workFlags,
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
    description: 'Name of this cluster on the hub. Without it: the one that registration left in --hub-kubeconfig-dir.',
  },
  agentId: {
    type: 'string',
    default: '',
    group,
    description:
      'ID of this agent among those of one cluster. Default: the hash of the address by which the cluster joined the hub.',
  },
  spokeKubeconfig: {
    type: 'string',
    group,
    description: 'Kubeconfig of the managed cluster, if the agent runs on another one.',
  },
  hubKubeconfigDir: {
    type: 'string',
    default: MountPath.HubKubeconfigDirectory,
    group,
    description: 'Where registration leaves the identity of the cluster on the hub.',
  },
  hubKubeconfig: {
    type: 'string',
    group,
    deprecated: 'use --workload-source-config',
    description: 'Ignored; there because deployments of OCM have it.',
  },
  workloadSourceConfig: {
    type: 'string',
    default: `${MountPath.HubKubeconfigDirectory}/kubeconfig`,
    group,
    description:
      'Kubeconfig of the hub or, with --workload-source-driver=grpc, the config.yaml for its gRPC server. New credentials and a new address are used without restart.',
  },
  hubKubeApiQps: {
    type: 'number',
    default: 0,
    min: 0,
    group: 'API server',
    description: 'Like --kube-api-qps, for the hub.',
  },
  hubKubeApiBurst: {
    type: 'integer',
    default: 100,
    min: 1,
    zeroIsDefault: true,
    group: 'API server',
    description: 'Like --kube-api-burst, for the hub.',
  },
  terminateOnFiles: {
    type: 'list',
    deprecated: 'files are read again when they change, so nothing has to end',
    description: 'Ignored; there because deployments of OCM have it.',
  },
  featureGates: featureGatesOption(featureGateChoices('spoke-work')),
});
