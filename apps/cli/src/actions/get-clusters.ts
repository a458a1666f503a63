import { Label, type ManagedCluster, managedClusterSets, managedClusters } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { requireHub } from '../hub/accept.ts';
import { clusterTable, clusterTree } from '../hub/cluster-rows.ts';
import { heartbeats } from '../hub/heartbeat.ts';
import { asCalled } from '../output/as-called.ts';
import { withKind } from '../output/kubectl-name.ts';
import { objectName, printListing } from '../output/listing.ts';

/** The flags of `get clusters`. */
export interface GetClustersOptions {
  readonly clusterset?: string;
  readonly output: string;
}

/** Prints the clusters of a hub: those that are named, or all. */
export async function getClusters(
  context: CliContext,
  names: readonly string[],
  options: GetClustersOptions & GlobalOptions,
): Promise<void> {
  const { output, clusterset } = options;
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  await printListing(context, {
    all: await listClusters(context, hub.client, clusterset),
    names,
    output,
    what: 'cluster',
    where: clusterset ? ` in cluster set ${clusterset}` : '',
    command: 'get clusters',
    nameOf: objectName,
    objectsOf: (cluster) => [withKind(managedClusters, cluster)],
    table: async (items, wide) =>
      asCalled(
        clusterTable(items, wide, context.clock.now(), wide ? await heartbeats(hub.client) : undefined),
        context.program,
      ),
    tree: clusterTree,
  });
}

async function listClusters(
  { program }: CliContext,
  client: KubeClient,
  clusterset: string | undefined,
): Promise<ManagedCluster[]> {
  if (clusterset === undefined) return (await client.resource(managedClusters).list()).items;
  if (!(await client.resource(managedClusterSets).find(clusterset))) {
    const hint = `See all: \`${program} get clustersets\`.`;
    throw new CliError('failed', `there is no cluster set ${clusterset}`, hint);
  }
  const labelSelector = `${Label.ClusterSet}=${clusterset}`;
  return (await client.resource(managedClusters).list({ labelSelector })).items;
}
