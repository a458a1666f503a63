import { ApiGroup, ControllerName, GroupName, RegistrationDriverName } from '@flotilla/api-types';
import type { OptionValues } from '@flotilla/process';
import { approvalController } from '@flotilla/registration-core/certificates';
import { declaredAuthType, type HubDriver, type HubDriverContext } from '@flotilla/registration-core/contract';
import { addonRightsController } from './addon-rights/addon-rights.controller.ts';
import type { hubOptions } from './options.ts';
import { asSent } from './requester.ts';
import { rules, signerName } from './rules.ts';
import { signerAuthority } from './signing/signer-authority.ts';
import { signingController } from './signing/signing.controller.ts';

/** Approves and signs the requests of agents that come over gRPC, and names the groups that their certificates have. */
export function createGrpcHub(context: HubDriverContext<OptionValues<typeof hubOptions>>): HubDriver {
  const { client, informers, clock, gates, options } = context;
  const trustedUsers = new Set(gates.ManagedClusterAutoApproval ? options.autoApprovedGrpcUsers : []);
  const serverUsers = new Set(options.grpcServerUsers);
  const authority = signerAuthority(options, informers);
  return {
    controllers: [
      approvalController({
        name: `${ControllerName.CsrApproving}-${RegistrationDriverName.Grpc}`,
        client,
        informers,
        clock,
        signerName,
        trustedUsers,
        asSent: (request, subject) => asSent(request, subject, serverUsers),
      }),
      addonRightsController({ informers }),
      signingController({ informers, clock, authority, maxLifeMs: options.grpcSigningDuration }),
    ],
    // OCM's agents do not declare their auth type, whichever they have.
    accepts: (cluster) =>
      (declaredAuthType(cluster) ?? RegistrationDriverName.Grpc) === RegistrationDriverName.Grpc
        ? 'accept'
        : 'not mine',
    subjects: (cluster) => [{ kind: 'Group', apiGroup: ApiGroup.Rbac, name: GroupName.Cluster.of({ cluster }) }],
    clusterRules: () => rules.cluster,
  };
}
