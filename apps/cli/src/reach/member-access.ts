import { ClusterProxyApi, clusterProxyPath, type ManagedCluster, managedClusters } from '@flotilla/api-types';
import { type ClusterAccess, type KubeClient, KubeError } from '@flotilla/kube';
import { apiServices } from '@flotilla/kube/kinds';
import type { CliContext, Connection } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';

/** How the user of a hub reaches a cluster: with the same credentials, at another address. */
export const memberAccess = (hub: ClusterAccess, cluster: string): ClusterAccess => ({
  ...hub,
  server: `${hub.server.replace(/\/+$/, '')}${clusterProxyPath(cluster)}`,
  clusterName: cluster,
  origin: `cluster ${cluster} through ${hub.origin}`,
});

/** Names of the kubeconfig that leads to a cluster. */
export const memberNames = (cluster: string) => ({ cluster, user: `${cluster}-through-hub`, context: cluster });

/** Throws if the hub has no such cluster, or does not serve the API. A user who cannot read that finds out by using it. */
export async function requireMember({ program }: CliContext, { client }: Connection, name: string): Promise<void> {
  await requireProxyApi(client);
  const cluster = await readable(() => client.resource(managedClusters).find(name));
  if (cluster === undefined) {
    throw new CliError('failed', `there is no cluster ${name}`, `See all: \`${program} get clusters\`.`);
  }
  if (cluster && cluster.spec?.hubAcceptsClient !== true) {
    throw new CliError(
      'precondition',
      `cluster ${name} is not accepted`,
      `Accept it: \`${program} accept --clusters ${name}\`.`,
    );
  }
}

/** Throws if clusters of the hub cannot be reached at all. */
export async function requireProxyApi(client: KubeClient): Promise<void> {
  const found = await readable(() => client.resource(apiServices).find(ClusterProxyApi.apiService));
  if (found !== undefined) return;
  throw new CliError(
    'precondition',
    'this hub does not let users reach its clusters',
    'If the operator runs the hub, enable the gate ClusterProxy in spec.serverConfiguration.featureGates of its ClusterManager. Otherwise start `flotilla-hub cluster-proxy --external-name HOST`.',
  );
}

/** The clusters that are named, or all that the hub has accepted. */
export async function reachableClusters(client: KubeClient, names: readonly string[] | undefined): Promise<string[]> {
  if (names) return [...names];
  const { items } = await client.resource(managedClusters).list();
  return items.filter(isAccepted).map(({ metadata }) => metadata?.name ?? '');
}

const isAccepted = ({ spec }: ManagedCluster): boolean => spec?.hubAcceptsClient === true;

/** What went wrong with a request to a cluster, in the words of who refused it, with the reason. */
export const problemOf = ({ code, message, apiStatus }: KubeError): string =>
  `${apiStatus?.message ?? message.replace(`${code}: `, '')} (${code})`;

/** Null for what the user may not read: that need not keep them from using it. */
async function readable<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (KubeError.is(error, 'Forbidden')) return null;
    throw error;
  }
}
