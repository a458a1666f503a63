import {
  type AddOnConfig,
  clusterManagementAddOns,
  Label,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
  ObjectName,
  scopedConfig,
} from '@flotilla/api-types';
import { joinKey, type KubeClient, KubeError } from '@flotilla/kube';
import { isWorkOf } from '../addon/addon-rows.ts';
import { explainAddOn } from '../addon/explain/explanation.ts';
import type { AddOnFacts } from '../addon/explain/facts.ts';
import { renderAddOnExplanation } from '../addon/explain/render.ts';
import { placementsSelecting } from '../addon/installing-placements.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { requireHub } from '../hub/accept.ts';
import { heartbeatOf } from '../hub/heartbeat.ts';
import { asCalled } from '../output/as-called.ts';
import { formatValue, isMachineFormat } from '../output/format.ts';
import { type ClustersOptions, chosenClusters, requireClusters } from '../work/choose-clusters.ts';

/** The flags of `explain addon`. */
export interface ExplainAddOnOptions extends ClustersOptions {
  readonly output: string;
}

/** Explains where an add-on is on its way to clusters, and what it waits for there. */
export async function explainAddOns(
  context: CliContext,
  name: string | undefined,
  options: ExplainAddOnOptions & GlobalOptions,
): Promise<void> {
  if (name === undefined) {
    const hint = `See them with \`${context.program} get addons\`.`;
    throw new CliError('usage', 'the name of the add-on must be specified', hint);
  }
  const named = chosenClusters(options);
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  await requireClusters(hub.client, named, context.program);
  const clusters = named.length > 0 ? named : await clustersWith(hub.client, name);
  if (clusters.length === 0) {
    const isOffered = (await hub.client.resource(clusterManagementAddOns).find(name)) !== undefined;
    throw new CliError(
      'failed',
      isOffered ? `add-on ${name} is on no cluster` : `there is no add-on ${name} on this hub`,
      isOffered ? 'Name the cluster that should have it: --cluster.' : `See all: \`${context.program} get addons\`.`,
    );
  }
  const explanations = [];
  for (const cluster of clusters) {
    explanations.push(explainAddOn(await readFacts(hub.client, name, cluster, context.clock.now())));
  }
  if (isMachineFormat(options.output)) context.out.write(formatValue(explanations, options.output));
  else context.out.write(asCalled(explanations.map(renderAddOnExplanation).join('\n'), context.program));
}

async function clustersWith(client: KubeClient, name: string): Promise<string[]> {
  const { items } = await client.resource(managedClusterAddOns).list({ fieldSelector: `metadata.name=${name}` });
  return items.map(({ metadata }) => metadata?.namespace ?? '').sort();
}

async function readFacts(client: KubeClient, name: string, clusterName: string, now: number): Promise<AddOnFacts> {
  const [cluster, heartbeat, offered, addOn] = await Promise.all([
    client.resource(managedClusters).find(clusterName),
    heartbeatOf(client, clusterName),
    client.resource(clusterManagementAddOns).find(name),
    client.resource(managedClusterAddOns).find(`${clusterName}/${name}`),
  ]);
  const placements = offered ? await placementsSelecting(client, offered, clusterName) : [];
  const labelSelector = `${Label.AddOnName}=${name}`;
  const works = addOn ? (await client.resource(manifestWorks).list({ labelSelector })).items : [];
  const named = [
    ...(offered?.spec?.defaultConfigs ?? []),
    ...placements.flatMap(({ configs = [] }) => configs),
    ...(addOn?.spec?.configs ?? []),
  ]
    // A default of this name only says that the kind is supported.
    .filter((config) => config.name !== ObjectName.NoDefaultConfig)
    .map(scopedConfig);
  const existence = new Map<string, boolean | undefined>();
  for (const config of named) existence.set(JSON.stringify(config), await configExists(client, config));
  return {
    name,
    clusterName,
    placements,
    works: addOn ? works.filter((work) => isWorkOf(work, addOn)) : [],
    exists: (config) => existence.get(JSON.stringify(config)),
    now,
    ...(cluster && { cluster }),
    ...(heartbeat !== undefined && { heartbeat }),
    ...(offered && { offered }),
    ...(addOn && { addOn }),
  };
}

/** Undefined if the user is not allowed to read it. */
async function configExists(
  client: KubeClient,
  { group = '', resource, namespace, name }: AddOnConfig,
): Promise<boolean | undefined> {
  const kind = (await client.mapper.all()).find((each) => each.group === group && each.plural === resource);
  if (!kind) return false;
  const apiVersion = group ? `${group}/${kind.version}` : kind.version;
  try {
    const handle = await client.dynamic({ apiVersion, kind: kind.kind });
    // Nothing has a name without a namespace in a kind that needs one.
    if (kind.namespaced && !namespace) return false;
    return (await handle.find(kind.namespaced ? joinKey(namespace, name) : name)) !== undefined;
  } catch (error) {
    if (KubeError.is(error, 'Forbidden')) return undefined;
    throw error;
  }
}
