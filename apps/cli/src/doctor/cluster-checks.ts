import {
  AppLabelValue,
  DataKey,
  type Klusterlet,
  managedClusters,
  NamespaceName,
  RegistrationDriverName,
  SecretName,
} from '@flotilla/api-types';
import { secrets } from '@flotilla/kube/kinds';
import type { CliContext, Connection } from '../context.ts';
import { isHostedKlusterlet } from '../operator/remove-hosted.ts';
import { hasOperator } from '../operator/remove-operator.ts';
import { connectBySecret } from '../operator/secret-connection.ts';
import { type Check, failed, ok, warning } from './check.ts';
import { conditionsOutcome, operatorCheck, serverChecks } from './common-checks.ts';

/** What makes a cluster a working member of its hubs: the operator, each Klusterlet, and the way to its hub. */
export async function clusterChecks(
  context: CliContext,
  managed: Connection,
  joined: readonly Klusterlet[],
): Promise<Check[]> {
  const { client } = managed;
  const withOperator = await hasOperator(client, AppLabelValue.Klusterlet);
  return [
    ...serverChecks(client, context),
    ...(withOperator ? [operatorCheck(client, AppLabelValue.Klusterlet)] : []),
    ...joined.flatMap((klusterlet): Check[] => {
      const what = `klusterlet/${klusterlet.metadata?.name}`;
      return [
        ...(withOperator
          ? [[what, async () => conditionsOutcome(klusterlet.status?.conditions ?? [], what)] satisfies Check]
          : []),
        [`hub of ${klusterlet.spec?.clusterName}`, () => hubOf(context, managed, klusterlet)],
      ];
    }),
  ];
}

/** Whether the agent has credentials, and whether the hub accepts them from here. */
async function hubOf(context: CliContext, { client }: Connection, klusterlet: Klusterlet) {
  const { spec, metadata } = klusterlet;
  const clusterName = spec?.clusterName ?? '';
  const namespace = isHostedKlusterlet(klusterlet) ? metadata?.name : (spec?.namespace ?? NamespaceName.Agent);
  const stored = await client.resource(secrets).find(`${namespace}/${SecretName.HubKubeconfig}`);
  if (!stored?.data?.[DataKey.Kubeconfig]) {
    const bootstrap = await client.resource(secrets).find(`${namespace}/${SecretName.BootstrapHubKubeconfig}`);
    return bootstrap
      ? warning(
          'the agent has no credentials yet: it waits for an administrator of the hub, or does not run',
          `On the hub: ${context.program} accept --clusters ${clusterName}`,
        )
      : failed(
          `there is no Secret ${namespace}/${SecretName.BootstrapHubKubeconfig}, by which the agent would request to join`,
          `Join again with the command that \`${context.program} get token\` prints on the hub.`,
        );
  }
  if (spec?.registrationConfiguration?.registrationDriver?.authType === RegistrationDriverName.AwsIrsa) {
    const message = 'the agent gets its credentials by the program aws, which is not run here for it';
    return warning(message, `On the hub: ${context.program} get clusters ${clusterName}`);
  }
  await using hub = await connectBySecret(context, stored, DataKey.Kubeconfig);
  const cluster = await hub.client.resource(managedClusters).get(clusterName);
  if (!cluster.spec?.hubAcceptsClient) {
    return failed(
      'the hub does not accept this cluster',
      `On the hub: ${context.program} accept --clusters ${clusterName}`,
    );
  }
  return ok(`${hub.access.server} accepts the credentials of the agent`);
}
