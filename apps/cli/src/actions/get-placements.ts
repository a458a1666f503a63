import { placementDecisions, placements } from '@flotilla/api-types';
import { requireNamespace } from '../clusterset/find-set.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { requireHub } from '../hub/accept.ts';
import { withKind } from '../output/kubectl-name.ts';
import { objectName, printListing } from '../output/listing.ts';
import { placementTable, placementTree } from '../placement/placement-rows.ts';

/** The flags of `get placements`. */
export interface GetPlacementsOptions {
  readonly namespace?: string;
  readonly output: string;
}

/** Prints the placements of a namespace or of all: those that are named, or all. */
export async function getPlacements(
  context: CliContext,
  names: readonly string[],
  options: GetPlacementsOptions & GlobalOptions,
): Promise<void> {
  const { namespace, output } = options;
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  if (namespace !== undefined) await requireNamespace(hub.client, namespace);
  const selection = namespace === undefined ? {} : { namespace };
  const decisions = async () => (await hub.client.resource(placementDecisions).list(selection)).items;
  await printListing(context, {
    all: (await hub.client.resource(placements).list(selection)).items,
    names,
    output,
    what: 'placement',
    where: namespace === undefined ? '' : ` in namespace ${namespace}`,
    command: 'get placements',
    nameOf: objectName,
    objectsOf: (placement) => [withKind(placements, placement)],
    table: async (items, wide) => placementTable(items, wide ? await decisions() : [], wide, context.clock.now()),
    tree: async (items) => placementTree(items, await decisions()),
  });
}
