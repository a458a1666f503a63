import {
  AppLabelValue,
  DataKey,
  type Klusterlet,
  managedClusters,
  NamespaceName,
  RegistrationDriverName,
  SecretName,
} from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import { type Secret, secrets } from '@flotilla/kube/kinds';
import type { CliContext, Connection } from '../context.ts';
import { findOperator } from '../operator/live-operator.ts';
import { isHostedKlusterlet } from '../operator/remove-hosted.ts';
import { connectBySecret } from '../operator/secret-connection.ts';
import { type Check, failed, ok, warning } from './check.ts';
import { conditionsOutcome, serverChecks } from './common-checks.ts';
import { operatorCheck, partsCheck } from './deployment-checks.ts';

/** What makes a cluster a working member of its hubs: the operator, each Klusterlet, and the way to its hub. */
export async function clusterChecks(
  context: CliContext,
  managed: Connection,
  joined: readonly Klusterlet[],
): Promise<Check[]> {
  const { client } = managed;
  const operator = await findOperator(client, AppLabelValue.Klusterlet);
  const operatorRuns = (operator?.status?.availableReplicas ?? 0) > 0;
  return [
    ...serverChecks(client, context),
    ...(operator ? [operatorCheck(client, operator)] : []),
    ...joined.flatMap((klusterlet): Check[] => {
      const what = `klusterlet/${klusterlet.metadata?.name}`;
      return [
        ...(operator
          ? ([
              [what, async () => conditionsOutcome(klusterlet.status?.conditions ?? [], what, operatorRuns)],
              // The operator starts the agent of works when there are credentials.
              partsCheck(client, `agent of ${klusterlet.spec?.clusterName}`, agentNamespace(klusterlet), async () => {
                const stored = await credentialsOf(client, klusterlet);
                return (name) => stored?.data?.[DataKey.Kubeconfig] === undefined && name.endsWith('-work-agent');
              }),
            ] satisfies Check[])
          : []),
        [`hub of ${klusterlet.spec?.clusterName}`, () => hubOf(context, managed, klusterlet)],
      ];
    }),
  ];
}

/** Where the agent runs, and has its credentials. */
const agentNamespace = (klusterlet: Klusterlet): string =>
  isHostedKlusterlet(klusterlet)
    ? (klusterlet.metadata?.name ?? '')
    : klusterlet.spec?.namespace || NamespaceName.Agent;

/** What the agent stored; undefined before it has started. */
function credentialsOf(client: KubeClient, klusterlet: Klusterlet): Promise<Secret | undefined> {
  const key = `${agentNamespace(klusterlet)}/${SecretName.HubKubeconfig}`;
  return client.resource(secrets).find(key);
}

/** Whether the agent has credentials, and whether the hub accepts them from here. */
async function hubOf(context: CliContext, { client }: Connection, klusterlet: Klusterlet) {
  const { spec } = klusterlet;
  const clusterName = spec?.clusterName ?? '';
  const namespace = agentNamespace(klusterlet);
  const stored = await credentialsOf(client, klusterlet);
  const { authType } = spec?.registrationConfiguration?.registrationDriver ?? {};
  const isGrpc = authType === RegistrationDriverName.Grpc;
  if (!stored?.data?.[isGrpc ? DataKey.DriverConfig : DataKey.Kubeconfig]) {
    const key = `${namespace}/${SecretName.BootstrapHubKubeconfig}`;
    return withoutCredentials(context, klusterlet, { key, secret: await client.resource(secrets).find(key) });
  }
  if (authType === RegistrationDriverName.AwsIrsa) {
    const message = 'the agent gets its credentials by the program aws, which is not run here for it';
    return warning(message, `On the hub: ${context.program} get clusters ${clusterName}`);
  }
  if (!stored.data[DataKey.Kubeconfig]) {
    const message = 'the agent registers through the gRPC server, which is not asked from here';
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

/** What an agent without credentials waits for. */
function withoutCredentials(
  { program }: CliContext,
  { spec }: Klusterlet,
  { key, secret }: { readonly key: string; readonly secret: Secret | undefined },
) {
  const isGrpc = spec?.registrationConfiguration?.registrationDriver?.authType === RegistrationDriverName.Grpc;
  if (isGrpc && secret && !secret.data?.[DataKey.DriverConfig]) {
    return failed(
      `the Klusterlet asks for gRPC, and Secret ${key} does not say where the gRPC server is`,
      `Join again with --registration-auth grpc and the flags that \`${program} get token\` prints on the hub.`,
    );
  }
  return secret
    ? warning(
        'the agent has no credentials yet: it waits for an administrator of the hub, or does not run',
        `On the hub: ${program} accept --clusters ${spec?.clusterName}`,
      )
    : failed(
        `there is no Secret ${key}, by which the agent would request to join`,
        `Join again with the command that \`${program} get token\` prints on the hub.`,
      );
}
