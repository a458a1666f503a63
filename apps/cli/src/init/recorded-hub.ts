import {
  type ClusterManager,
  ClusterRoleName,
  clusterManagers,
  NamespaceName,
  ObjectName,
  RegistrationDriverName,
  ServiceAccountName,
} from '@flotilla/api-types';
import { isOwnedBy, webhookNames } from '@flotilla/install';
import type { KubeClient } from '@flotilla/kube';
import { clusterRoleBindings, serviceAccounts, validatingWebhookConfigurations } from '@flotilla/kube/kinds';
import { cliOwner } from '../cluster/owner.ts';
import { ifServed } from '../cluster/served.ts';
import type { GrpcServer } from '../hub/grpc-server.ts';
import { recordedGates } from '../options/feature-gates.ts';

/** The components whose gates `init` sets. */
export const hubComponents = ['hub-registration', 'hub-work', 'hub-addon', 'hub-server'] as const;

/** The ClusterManager that an earlier `init` made; undefined if there is none. */
export const findHub = (client: KubeClient): Promise<ClusterManager | undefined> =>
  ifServed(() => client.resource(clusterManagers).find(ObjectName.ClusterManager), undefined);

/** Whether an earlier `init` made a hub whose programs the user starts: the accounts that they run as are its own. */
export async function isByHand(client: KubeClient): Promise<boolean> {
  const account = `${NamespaceName.Hub}/${ServiceAccountName.RegistrationController}`;
  const found = await client.resource(serviceAccounts).find(account);
  return found !== undefined && isOwnedBy(cliOwner, found);
}

/** Whether clusters request to join with a bootstrap token, and not with an account. The token itself ends after a day. */
export async function usesBootstrapToken(client: KubeClient): Promise<boolean> {
  const account = `${NamespaceName.Operator}/${ServiceAccountName.AgentRegistrationBootstrap}`;
  if (await client.resource(serviceAccounts).find(account)) return false;
  return (await client.resource(clusterRoleBindings).find(ClusterRoleName.BootstrapTokenBinding)) !== undefined;
}

/** The feature gates that a hub was installed with. */
export const gatesOfHub = (found: ClusterManager | undefined) => {
  const { registrationConfiguration, workConfiguration, addOnManagerConfiguration, serverConfiguration } =
    found?.spec ?? {};
  const parts = [registrationConfiguration, workConfiguration, addOnManagerConfiguration, serverConfiguration];
  return recordedGates(
    hubComponents,
    parts.map((part) => part?.featureGates),
  );
};

/** Where clusters reach the gRPC server of a hub that was installed; undefined if it does not say. */
export function grpcServerOfHub(found: ClusterManager | undefined): GrpcServer | undefined {
  const { registrationConfiguration, serverConfiguration } = found?.spec ?? {};
  const drivers = registrationConfiguration?.registrationDrivers ?? [];
  const exposed = serverConfiguration?.endpointsExposure?.find(({ protocol }) => protocol !== 'https')?.grpc;
  if (!exposed || !drivers.some(({ authType }) => authType === RegistrationDriverName.Grpc)) return undefined;
  const type = exposed.type === 'loadBalancer' ? 'loadBalancer' : 'hostname';
  const host = exposed[type]?.host;
  return { type, ...(host && { host }) };
}

/** Where the webhook server of a hub is that was installed without the operator; undefined if policies guard it. */
export async function webhookUrlOfHub(client: KubeClient): Promise<string | undefined> {
  const [name = ''] = webhookNames().validating;
  const found = await client.resource(validatingWebhookConfigurations).find(name);
  const url = found?.webhooks?.[0]?.clientConfig.url;
  return url && new URL(url).origin;
}
