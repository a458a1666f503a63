import { defineOptions } from '@flotilla/process';
import { kubeBootstrapOptions } from '@flotilla/registration-core/kube-hub';

/** Flags of the agent. */
export const agentOptions = defineOptions({
  ...kubeBootstrapOptions,
  hubClusterArn: {
    type: 'string',
    default: '',
    group: 'Registration',
    description: 'ARN of the EKS cluster that is the hub.',
  },
  managedClusterArn: {
    type: 'string',
    default: '',
    group: 'Registration',
    description: 'ARN of this EKS cluster.',
  },
  managedClusterRoleSuffix: {
    type: 'string',
    default: '',
    group: 'Registration',
    description: 'What the names of the IAM roles end in. Default: computed from the two ARNs, as the hub does.',
  },
});

/** Flags of the hub. */
export const hubOptions = defineOptions({
  hubClusterArn: {
    type: 'string',
    default: '',
    group: 'Registration',
    description: 'ARN of the EKS cluster that is this hub.',
  },
  autoApprovedArnPatterns: {
    type: 'list',
    group: 'Registration',
    description:
      'Regular expressions (RE2) of ARNs whose clusters are accepted without an administrator, if the gate ManagedClusterAutoApproval is on. The whole ARN must match.',
  },
  awsResourceTags: {
    type: 'list',
    group: 'Registration',
    description: 'Tags (key=value) of the IAM roles and EKS access entries that the hub creates.',
  },
});
