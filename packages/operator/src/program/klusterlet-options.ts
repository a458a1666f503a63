import { defineOptions, kubeOptions, leaderElectionOptions } from '@flotilla/process';
import { defaultAwsCliImage } from '../klusterlet/config/images.ts';

const group = 'Klusterlets';

/** The flags of `flotilla-operator klusterlet`: OCM's, and where the images of Flotilla come from. */
export const klusterletOptions = defineOptions({
  ...kubeOptions,
  ...leaderElectionOptions,
  controlPlaneNodeLabelSelector: {
    type: 'string',
    default: '',
    group,
    description:
      'Which nodes are those of the control plane: agents get one replica on a cluster with one of them, else three. Default: node-role.kubernetes.io/control-plane and node-role.kubernetes.io/master.',
  },
  deploymentReplicas: {
    type: 'integer',
    default: 0,
    min: 0,
    group,
    description: 'Replicas of agents that are not hosted, whatever the nodes are; 0 to count nodes.',
  },
  disableDefaultAddonNamespace: {
    type: 'boolean',
    group,
    description: 'Leave the namespace open-cluster-management-agent-addon to somebody else.',
  },
  enableSyncLabels: {
    type: 'boolean',
    group,
    description: 'Put the labels of a Klusterlet on the objects that are made for it.',
  },
  grantWorkPayloads: {
    type: 'boolean',
    default: true,
    group,
    description:
      'Grant the work agent what works may contain, as OCM does: the role admin, and what roles with the label open-cluster-management.io/aggregate-to-work allow. With false, bind roles to it yourself.',
  },
  agentImage: {
    type: 'string',
    default: '',
    group,
    description: 'Image of agents whose Klusterlet names none. Default: flotilla/agent in the version of this program.',
  },
  singletonImage: {
    type: 'string',
    default: '',
    group,
    description: 'Likewise for agents that are one process. Default: flotilla/singleton.',
  },
  awsCliImage: {
    type: 'string',
    default: defaultAwsCliImage,
    group,
    description:
      'Image with the command line of AWS, for agents from images of Open Cluster Management that register with awsirsa.',
  },
  skipPlaceholderHubSecret: {
    type: 'boolean',
    deprecated: 'no placeholder is made',
    description: 'Ignored; there because deployments of OCM may have it.',
  },
});
