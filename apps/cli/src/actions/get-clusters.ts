import { Label, type ManagedCluster, managedClusterSets, managedClusters } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { requireHub } from '../hub/accept.ts';
import { clusterTable } from '../hub/cluster-rows.ts';
import { formatObjects, isMachineFormat } from '../output/format.ts';
import { noResources } from '../output/table.ts';

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
  const { output } = options;
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  const all = await listClusters(hub.client, options.clusterset);
  const items = names.length === 0 ? all : all.filter(({ metadata }) => names.includes(metadata?.name ?? ''));
  const missing = names.filter((name) => !all.some(({ metadata }) => metadata?.name === name));
  if (isMachineFormat(output)) context.out.write(formatObjects(managedClusters, items, output));
  else if (output === 'name') context.out.write(items.map(({ metadata }) => `${metadata?.name}\n`).join(''));
  else if (items.length > 0) context.out.write(clusterTable(items, output === 'wide', context.clock.now()));
  else if (missing.length === 0) context.err.write(noResources);
  if (missing.length === 0) return;
  throw new CliError(
    'failed',
    `there is no cluster ${missing.join(', ')}${options.clusterset ? ` in cluster set ${options.clusterset}` : ''}`,
    `See all: \`${context.program} get clusters\`.`,
  );
}

async function listClusters(client: KubeClient, clusterset: string | undefined): Promise<ManagedCluster[]> {
  if (clusterset === undefined) return (await client.resource(managedClusters).list()).items;
  if (!(await client.resource(managedClusterSets).find(clusterset))) {
    throw new CliError(
      'failed',
      `there is no cluster set ${clusterset}`,
      'See them with `kubectl get managedclustersets`.',
    );
  }
  const labelSelector = `${Label.ClusterSet}=${clusterset}`;
  return (await client.resource(managedClusters).list({ labelSelector })).items;
}
