import { RegistrationDriverName, Signer } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';
import { defineDriver } from '@flotilla/registration-core/contract';
import { createCsrAgentDriver } from './agent/csr-agent-driver.ts';
import { approvalController } from './hub/approval.controller.ts';
import { agentOptions, hubOptions } from './options.ts';

const leastExpirationSeconds = 3600;

/** Registration by client certificates from CertificateSigningRequests, as OCM does it by default. */
export const csrDriver = defineDriver({
  authType: RegistrationDriverName.Csr,
  options: { agent: agentOptions, hub: hubOptions },
  agent(context) {
    const { clientCertExpirationSeconds: expirationSeconds } = context.options;
    if (expirationSeconds > 0 && expirationSeconds < leastExpirationSeconds) {
      throw new KubeError('Config', 'client certificate expiration seconds must greater or qual to 3600', {
        hint: `--client-cert-expiration-seconds is ${expirationSeconds}: give 3600 or more, or 0 to leave it to the hub.`,
      });
    }
    return createCsrAgentDriver(context, { expirationSeconds, signerName: Signer.KubeApiServerClient });
  },
  hub({ client, informers, clock, gates, options }) {
    const users =
      options.autoApprovedCsrUsers.length > 0 ? options.autoApprovedCsrUsers : options.clusterAutoApprovalUsers;
    const trustedUsers = new Set(gates.ManagedClusterAutoApproval ? users : []);
    const signerName = Signer.KubeApiServerClient;
    return {
      controllers: [approvalController({ client, informers, clock, signerName, trustedUsers })],
      async createPermissions() {},
      async cleanUp() {},
      accepts: () => true,
    };
  },
});

export {
  type AgentRequest,
  approvalPath,
  isFromAnotherCluster,
  type RequestedSubject,
  recognizeAgentRequest,
} from './hub/approval.policy.ts';
export { readRequestedSubject } from './hub/requested-subject.ts';
