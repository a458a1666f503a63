import {
  type ClusterManagementAddOn,
  clusterManagementAddOns,
  Label,
  type ManagedClusterAddOn,
  managedClusterAddOns,
  manifestWorks,
} from '@flotilla/api-types';
import { type AddOnPresence, addOnTable, addOnTree } from '../addon/addon-rows.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { requireHub } from '../hub/accept.ts';
import { type TypedObject, withKind } from '../output/kubectl-name.ts';
import { printListing } from '../output/listing.ts';
import { type ClustersOptions, chosenClusters, requireClusters } from '../work/choose-clusters.ts';

/** The flags of `get addons`. */
export interface GetAddOnsOptions extends ClustersOptions {
  readonly output: string;
}

/** Prints the add-ons that the hub offers, and where they are. */
export async function getAddOns(
  context: CliContext,
  names: readonly string[],
  options: GetAddOnsOptions & GlobalOptions,
): Promise<void> {
  const clusters = chosenClusters(options);
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  await requireClusters(hub.client, clusters, context.program);
  const offered = (await hub.client.resource(clusterManagementAddOns).list()).items;
  const onClusters = (await hub.client.resource(managedClusterAddOns).list()).items.filter(
    ({ metadata }) => clusters.length === 0 || clusters.includes(metadata?.namespace ?? ''),
  );
  await printListing<AddOnPresence>(context, {
    all: presences(offered, onClusters),
    names,
    output: options.output,
    what: 'add-on',
    where: ' on this hub',
    command: 'get addons',
    nameOf: ({ name }) => name,
    // What a script goes on with is the add-on, not each of its installations.
    objectsOf: (addOn) => (options.output === 'name' ? objectsOf(addOn).slice(0, 1) : objectsOf(addOn)),
    table: (items, wide) => addOnTable(items, wide, context.clock.now()),
    tree: async (items) => {
      const works = await hub.client.resource(manifestWorks).list({ labelSelector: Label.AddOnName });
      return addOnTree(items, works.items);
    },
  });
}

/** By name; the clusters of each by theirs. */
function presences(
  offered: readonly ClusterManagementAddOn[],
  onClusters: readonly ManagedClusterAddOn[],
): AddOnPresence[] {
  const nameOf = ({ metadata }: ClusterManagementAddOn | ManagedClusterAddOn): string => metadata?.name ?? '';
  const placeOf = ({ metadata }: ManagedClusterAddOn): string => metadata?.namespace ?? '';
  const names = [...new Set([...offered, ...onClusters].map(nameOf))].sort();
  return names.map((name) => {
    const offer = offered.find((each) => nameOf(each) === name);
    const own = onClusters.filter((each) => nameOf(each) === name);
    return {
      name,
      ...(offer && { offered: offer }),
      onClusters: own.toSorted((a, b) => placeOf(a).localeCompare(placeOf(b))),
    };
  });
}

/** What is offered, and its installation on each cluster that has it. */
const objectsOf = ({ offered, onClusters }: AddOnPresence): TypedObject[] => [
  ...(offered ? [withKind(clusterManagementAddOns, offered)] : []),
  ...onClusters.map((addOn) => withKind(managedClusterAddOns, addOn)),
];
