import { manifestWorks } from '@flotilla/api-types';
import type { CliContext, GlobalOptions } from '../context.ts';
import { requireHub } from '../hub/accept.ts';
import { withKind } from '../output/kubectl-name.ts';
import { objectName, printListing } from '../output/listing.ts';
import { type ClustersOptions, chosenClusters, requireClusters } from '../work/choose-clusters.ts';
import { findWorks } from '../work/find-works.ts';
import { workTable, workTree } from '../work/work-rows.ts';

/** The flags of `get works`. */
export interface GetWorksOptions extends ClustersOptions {
  readonly output: string;
}

/** Prints the works of clusters. */
export async function getWorks(
  context: CliContext,
  names: readonly string[],
  options: GetWorksOptions & GlobalOptions,
): Promise<void> {
  const clusters = chosenClusters(options);
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  await requireClusters(hub.client, clusters, context.program);
  await printListing(context, {
    all: await findWorks(hub.client, names, clusters),
    names,
    output: options.output,
    what: 'work',
    where: clusters.length > 0 ? ` in cluster ${clusters.join(', ')}` : ' on any cluster',
    command: 'get works',
    nameOf: objectName,
    objectsOf: (work) => [withKind(manifestWorks, work)],
    table: (items, wide) => workTable(items, wide, context.clock.now()),
    tree: workTree,
  });
}
