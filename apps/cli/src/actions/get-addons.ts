import {
  type ClusterManagementAddOn,
  clusterManagementAddOns,
  Label,
  type ManagedClusterAddOn,
  managedClusterAddOns,
  manifestWorks,
} from '@flotilla/api-types';
import { apiVersionOf } from '@flotilla/kube/meta';
import { type AddOnPresence, addOnTable, addOnTree } from '../addon/addon-rows.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { requireHub } from '../hub/accept.ts';
import { formatManifests, formatValue } from '../output/format.ts';
import { noResources } from '../output/table.ts';
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
  const all = presences(offered, onClusters);
  const addOns = names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
  const missing = names.filter((name) => !all.some((addOn) => addOn.name === name));
  switch (options.output) {
    case 'json':
      context.out.write(formatValue({ apiVersion: 'v1', kind: 'List', items: objectsOf(addOns) }, 'json'));
      break;
    case 'yaml':
      context.out.write(formatManifests(objectsOf(addOns)));
      break;
    case 'name':
      context.out.write(addOns.map(({ name }) => `${name}\n`).join(''));
      break;
    case 'tree': {
      const works = await hub.client.resource(manifestWorks).list({ labelSelector: Label.AddOnName });
      context.out.write(addOnTree(addOns, works.items));
      break;
    }
    default:
      if (addOns.length > 0) context.out.write(addOnTable(addOns, options.output === 'wide', context.clock.now()));
      else if (missing.length === 0) context.err.write(noResources);
  }
  if (missing.length === 0) return;
  const hint = `See all: \`${context.program} get addons\`.`;
  throw new CliError('failed', `there is no add-on ${missing.join(', ')} on this hub`, hint);
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

/** What is offered, and each cluster that has it, as one list. */
const objectsOf = (addOns: readonly AddOnPresence[]): object[] =>
  addOns.flatMap(({ offered, onClusters }) => [
    ...(offered
      ? [{ apiVersion: apiVersionOf(clusterManagementAddOns), kind: clusterManagementAddOns.kind, ...offered }]
      : []),
    ...onClusters.map((addOn) => ({
      apiVersion: apiVersionOf(managedClusterAddOns),
      kind: managedClusterAddOns.kind,
      ...addOn,
    })),
  ]);
