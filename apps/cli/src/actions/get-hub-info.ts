import {
  AppLabelValue,
  clusterManagers,
  managedClusters,
  NamespaceName,
  ObjectName,
  type RegistrationDriverHub,
  ServiceAccountName,
} from '@flotilla/api-types';
import { hubDefinitions } from '@flotilla/install';
import { customResourceDefinitions, deployments, namespaces, serviceAccounts } from '@flotilla/kube/kinds';
import type { CliContext, GlobalOptions } from '../context.ts';
import { requireHub } from '../hub/accept.ts';
import { findLeader } from '../hub/leader.ts';
import { findOperator } from '../operator/live-operator.ts';
import { operatorInfo, operatorLines } from '../operator/operator-info.ts';
import { formatValue, isMachineFormat } from '../output/format.ts';
import { formatTable } from '../output/table.ts';

/** The flags of `get hub-info`. */
export interface GetHubInfoOptions {
  readonly output: string;
}

/** Prints it. */
export async function getHubInfo(context: CliContext, options: GetHubInfoOptions & GlobalOptions): Promise<void> {
  const { output } = options;
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  const { client } = hub;
  const account = `${NamespaceName.Operator}/${ServiceAccountName.AgentRegistrationBootstrap}`;
  const { items: clusters } = await client.resource(managedClusters).list();
  const { items: running } = await client.resource(deployments).list({ namespace: NamespaceName.Hub });
  const definitions = await Promise.all(
    (await hubDefinitions()).map(async ({ metadata }) => {
      const name = metadata?.name ?? '';
      const found = await client.resource(customResourceDefinitions).find(name);
      const versions = found?.spec.versions.map((version) => (version.storage ? `*${version.name}` : version.name));
      return { name, installed: found !== undefined, versions: versions ?? [] };
    }),
  );
  const recorded = await client.resource(clusterManagers).find(ObjectName.ClusterManager);
  const leader = await findLeader(client, context.clock);
  const operator = operatorInfo(await findOperator(client, AppLabelValue.ClusterManager));
  const info = {
    server: hub.access.server,
    clusters: clusters.length,
    accepted: clusters.filter(({ spec }) => spec?.hubAcceptsClient).length,
    bootstrapServiceAccount: (await client.resource(serviceAccounts).find(account)) !== undefined,
    operator,
    conditions: recorded?.status?.conditions ?? [],
    registrationDrivers: recorded?.spec?.registrationConfiguration?.registrationDrivers ?? [],
    leader: 'found' in leader ? leader.found : null,
    hubNamespace: (await client.resource(namespaces).find(NamespaceName.Hub)) !== undefined,
    components: running.map(({ metadata, spec, status }) => ({
      name: metadata?.name ?? '',
      available: status?.availableReplicas ?? 0,
      desired: spec?.replicas ?? 1,
    })),
    definitions,
  };
  if (isMachineFormat(output)) {
    context.out.write(formatValue(info, output));
    return;
  }
  const rows = definitions.map(({ name, installed, versions }) => [
    `(${installed ? 'installed' : 'absent'})`,
    name,
    `[${versions.join(', ')}]`,
  ]);
  context.out.write(
    [
      `Hub: ${info.server}\n`,
      ...operatorLines(operator, info.conditions),
      `Clusters: ${info.clusters}, of which ${info.accepted} accepted\n`,
      `Clusters can request to join: ${info.bootstrapServiceAccount ? 'yes' : `no (${context.program} init)`}\n`,
      `Clusters register by: ${info.registrationDrivers.map(driverText).join(', ') || 'not recorded'}\n`,
      `Controllers: ${'found' in leader ? `led by ${leader.found}` : `${leader.pending} (those of flotilla up need no leader)`}\n`,
      `Components in ${NamespaceName.Hub}: ${info.components.map(({ name, available, desired }) => `${name} (${available}/${desired})`).join(', ') || 'none'}\n\n`,
      formatTable(['CRD', 'NAME', 'VERSIONS (* = STORED)'], rows),
    ].join(''),
  );
}

/** An auth type of the hub, with what identifies the hub to its clusters. */
const driverText = ({ authType, awsirsa }: RegistrationDriverHub): string =>
  awsirsa?.hubClusterArn ? `${authType} (${awsirsa.hubClusterArn})` : authType;
