import { Label, managedClusterSets, managedClusters } from '@flotilla/api-types';
import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors.ts';
import { requireHub } from '../hub/accept.ts';
import { clusterTable } from '../hub/cluster-rows.ts';
import { formatObjects, isMachineFormat } from '../output/format.ts';

/** The flags of `get clusters`. */
export interface GetClustersOptions {
  readonly clusterset?: string;
  readonly output: string;
}

/** Prints the clusters of a hub. */
export async function getClusters(context: CliContext, options: GetClustersOptions & GlobalOptions): Promise<void> {
  const { clusterset, output } = options;
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  if (clusterset && !(await hub.client.resource(managedClusterSets).find(clusterset))) {
    throw new CliError(
      'failed',
      `there is no cluster set ${clusterset}`,
      'See them with `kubectl get managedclustersets`.',
    );
  }
  const { items } = await hub.client
    .resource(managedClusters)
    .list(clusterset ? { labelSelector: `${Label.ClusterSet}=${clusterset}` } : {});
  if (isMachineFormat(output)) context.out.write(formatObjects(managedClusters, items, output));
  else if (output === 'name') context.out.write(items.map(({ metadata }) => `${metadata?.name}\n`).join(''));
  else context.out.write(clusterTable(items, output === 'wide', context.clock.now()));
}
