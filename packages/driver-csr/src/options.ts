import { defineOptions } from '@flotilla/process';
import { certificateOptions } from '@flotilla/registration-core/certificates';
import { kubeBootstrapOptions } from '@flotilla/registration-core/kube-hub';

/** Flags of the agent. */
export const agentOptions = defineOptions({ ...kubeBootstrapOptions, ...certificateOptions });

/** Flags of the hub. */
export const hubOptions = defineOptions({
  autoApprovedCsrUsers: {
    type: 'list',
    group: 'Registration',
    description:
      'Users whose first certificate requests are approved without an administrator, if the gate ManagedClusterAutoApproval is on.',
  },
  clusterAutoApprovalUsers: {
    type: 'list',
    group: 'Registration',
    deprecated: 'Use --auto-approved-csr-users.',
    description: 'Older name of --auto-approved-csr-users; ignored if that is set.',
  },
});
