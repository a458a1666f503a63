import { defineOptions } from '@flotilla/kube/process';

/** Flags of the agent. */
export const agentOptions = defineOptions({
  clientCertExpirationSeconds: {
    type: 'integer',
    default: 0,
    min: 0,
    group: 'Registration',
    description:
      'How long client certificates should live, in seconds, at least 3600. 0 leaves it to the signer of the hub.',
  },
});

/** Flags of the hub. */
export const hubOptions = defineOptions({
  autoApprovedCsrUsers: {
    type: 'list',
    group: 'Registration',
    description:
      'Users whose first certificate requests are approved without a person, if the gate ManagedClusterAutoApproval is on.',
  },
  clusterAutoApprovalUsers: {
    type: 'list',
    group: 'Registration',
    deprecated: 'Use --auto-approved-csr-users.',
    description: 'Older name of --auto-approved-csr-users; ignored if that is set.',
  },
});
