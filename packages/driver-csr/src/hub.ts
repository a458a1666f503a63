import { ApiGroup, GroupName, RegistrationDriverName } from '@flotilla/api-types';
import type { OptionValues } from '@flotilla/process';
import { approvalController } from '@flotilla/registration-core/certificates';
import { declaredAuthType, type HubDriver, type HubDriverContext } from '@flotilla/registration-core/contract';
import type { hubOptions } from './options.ts';
import { rules, signerName } from './rules.ts';

/** Approves the requests of agents, and names the groups that their certificates have. */
export function createCsrHub(context: HubDriverContext<OptionValues<typeof hubOptions>>): HubDriver {
  const { client, informers, clock, gates, options } = context;
  const { autoApprovedCsrUsers, clusterAutoApprovalUsers } = options;
  const users = autoApprovedCsrUsers.length > 0 ? autoApprovedCsrUsers : clusterAutoApprovalUsers;
  const trustedUsers = new Set(gates.ManagedClusterAutoApproval ? users : []);
  return {
    controllers: [approvalController({ client, informers, clock, signerName, trustedUsers })],
    // OCM's agents do not declare their auth type, and this is the default one.
    accepts: (cluster) =>
      (declaredAuthType(cluster) ?? RegistrationDriverName.Csr) === RegistrationDriverName.Csr ? 'accept' : 'not mine',
    subjects: (cluster) => [{ kind: 'Group', apiGroup: ApiGroup.Rbac, name: GroupName.Cluster.of({ cluster }) }],
    clusterRules: () => rules.cluster,
  };
}
