import { GroupName, NamespaceName, ServiceAccountName, UserName } from '@flotilla/api-types';
import type { AuthenticateToken, UserInfo } from '@flotilla/control-plane';
import { csrDriver } from '@flotilla/driver-csr';
import type { RunHubInput } from '@flotilla/hub-runtime';
import { type BoundDriver, bindDriver } from '@flotilla/registration-core/agent';

/** The flags under which drivers find the first access to the hub. */
export interface FleetBootstrapFlags {
  readonly bootstrapKubeconfig: string;
  readonly bootstrapKubeconfigs: string[];
}

/** How the clusters of a fleet prove who they are. */
export interface FleetDriver {
  /** On the hub. It must accept the clusters of the fleet, which has no administrator. */
  readonly hub: RunHubInput['drivers'][number];
  /** The values of its flags on the hub. Default: none. */
  readonly hubOptions?: RunHubInput['driverOptions'];
  /** On each cluster: `(flags) => bindDriver(myDriver, { ...flags, … })`. */
  readonly agent: (flags: FleetBootstrapFlags) => BoundDriver;
  /** Whose the tokens are that it sends to the hub, as a token webhook of kube-apiserver answers. Not needed for client certificates. */
  readonly authenticateToken?: AuthenticateToken;
}

const namespace = NamespaceName.Operator;

/** The user of agents before they have an identity. */
export const bootstrapUser: UserInfo = {
  name: UserName.ServiceAccount.of({ namespace, name: ServiceAccountName.AgentRegistrationBootstrap }),
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, GroupName.Authenticated],
};

/** Client certificates, which the hub signs without an administrator. */
export const csrFleet: FleetDriver = {
  hub: csrDriver,
  hubOptions: { autoApprovedCsrUsers: [bootstrapUser.name], clusterAutoApprovalUsers: [] },
  agent: (flags) => bindDriver(csrDriver, { ...flags, clientCertExpirationSeconds: 0 }),
};
