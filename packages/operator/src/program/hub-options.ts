import { defineOptions, kubeOptions, leaderElectionOptions } from '@flotilla/process';
import { retiredSelector } from '../cluster-manager/index.ts';

const group = 'Hubs';

/** The flags of `flotilla-operator hub`: OCM's, and which image runs a hub. */
export const hubOperatorOptions = defineOptions({
  ...kubeOptions,
  ...leaderElectionOptions,
  hubImage: {
    type: 'string',
    default: '',
    group,
    description:
      'Image of hubs whose ClusterManager names no image, or the default ones of OCM without a tag. Default: flotilla/hub with the version of this operator.',
  },
  agentImage: {
    type: 'string',
    default: '',
    group,
    description: 'Image of the agents that the hub installs on clusters of Cluster API. Default: that of AGENT_IMAGE.',
  },
  skipRemoveCrds: {
    type: 'boolean',
    group,
    description:
      'Keep the definitions of a hub, and with them its clusters and works, when its ClusterManager is deleted.',
  },
  controlPlaneNodeLabelSelector: {
    type: 'string',
    default: retiredSelector,
    group,
    description:
      'Label of control plane nodes, whose number decides how many replicas a hub has. With the default, nodes with node-role.kubernetes.io/control-plane count too.',
  },
  deploymentReplicas: {
    type: 'integer',
    default: 0,
    min: 0,
    group,
    description:
      'Replicas of each program of a hub; 0 for 3 if there is more than one control plane node, or more than one node where none is labelled as control plane, and 1 otherwise.',
  },
  enableSyncLabels: {
    type: 'boolean',
    group,
    description: 'Copy the labels of a ClusterManager to the objects that are made for it.',
  },
});
