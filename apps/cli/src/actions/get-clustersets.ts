import { managedClusterSetBindings, managedClusterSets, managedClusters } from '@flotilla/api-types';
import { type SetFacts, setFacts, setTable, setTree } from '../clusterset/set-rows.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { requireHub } from '../hub/accept.ts';
import { withKind } from '../output/kubectl-name.ts';
import { objectName, printListing } from '../output/listing.ts';

/** The flags of `get clustersets`. */
export interface GetClusterSetsOptions {
  readonly output: string;
}

/** Prints the cluster sets of a hub: those that are named, or all. */
export async function getClusterSets(
  context: CliContext,
  names: readonly string[],
  options: GetClusterSetsOptions & GlobalOptions,
): Promise<void> {
  const { output } = options;
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  const sets = (await hub.client.resource(managedClusterSets).list()).items;
  const bindings = (await hub.client.resource(managedClusterSetBindings).list()).items;
  const showsClusters = output === 'wide' || output === 'tree';
  const clusters = showsClusters ? (await hub.client.resource(managedClusters).list()).items : [];
  await printListing<SetFacts>(context, {
    all: setFacts(sets, bindings, clusters),
    names,
    output,
    what: 'cluster set',
    command: 'get clustersets',
    nameOf: ({ set }) => objectName(set),
    objectsOf: ({ set }) => [withKind(managedClusterSets, set)],
    table: (items, wide) => setTable(items, wide, context.clock.now()),
    tree: setTree,
  });
}
