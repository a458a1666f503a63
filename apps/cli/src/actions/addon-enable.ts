import {
  Annotation,
  type ManagedClusterAddOn,
  ManagedClusterAddOnCondition,
  managedClusterAddOns,
  NamespaceName,
} from '@flotilla/api-types';
import { findCondition, type KubeClient, keyOf } from '@flotilla/kube';
import { semanticEqual } from '@flotilla/kube/meta';
import { isDnsLabel } from '@flotilla/schema';
import { chosenAddOns, requireAddOns } from '../addon/addon-names.ts';
import { addOnState } from '../addon/addon-state.ts';
import { applyConfigs, describeConfig, type FileConfig, readConfigFile } from '../addon/config-file.ts';
import { cliOwner } from '../cluster/owner.ts';
import { waitFor } from '../cluster/wait.ts';
import type { ChangeOptions, CliContext, GlobalOptions, WaitOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { requireHub } from '../hub/accept.ts';
import { startChangeReport } from '../output/change-report.ts';
import { withKind } from '../output/kubectl-name.ts';
import { startProgress } from '../output/progress.ts';
import { type ClustersOptions, chosenClusters, requireClusters } from '../work/choose-clusters.ts';

/** The flags of `addon enable`. */
export interface AddOnEnableOptions extends ClustersOptions, ChangeOptions, WaitOptions {
  readonly names?: readonly string[];
  readonly namespace?: string;
  readonly annotate?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly configFile?: string;
  readonly wait?: boolean;
  readonly output: string;
}

/** What becomes of an add-on on one cluster. */
interface Step {
  readonly wanted: ManagedClusterAddOn;
  readonly existing?: ManagedClusterAddOn;
}

/** Enables add-ons on clusters. All names are checked before the first object is written. */
export async function enableAddOns(context: CliContext, options: AddOnEnableOptions & GlobalOptions): Promise<void> {
  const { dryRun = false, namespace } = options;
  const example = `For example: \`${context.program} addon enable --names hello --clusters cluster1\`.`;
  const names = chosenAddOns(options.names, example);
  const clusters = chosenClusters(options);
  if (clusters.length === 0) throw new CliError('usage', 'either --cluster or --clusters needs to be set', example);
  if (namespace !== undefined && !isDnsLabel(namespace)) {
    const hint =
      'It must have 1 to 63 lower-case letters, digits and hyphens, and begin and end with a letter or digit.';
    throw new CliError('usage', `--namespace: "${namespace}" cannot be the name of a namespace`, hint);
  }
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  await requireClusters(hub.client, clusters, context.program);
  await requireAddOns(hub.client, names, context.program);
  const { configFile } = options;
  const configs = configFile === undefined ? undefined : await readConfigFile(context, hub.client, configFile);
  const after = dryRun ? ' (dry run)' : '';
  if (configs) {
    await applyConfigs(hub.client, configs, { fieldManager: cliOwner.fieldManager, dryRun });
    for (const config of configs) context.err.write(`${describeConfig(config)} is applied${after}\n`);
  }
  const written: ManagedClusterAddOn[] = [];
  const report = startChangeReport(context, options);
  for (const name of names) {
    for (const cluster of clusters) {
      const existing = await hub.client.resource(managedClusterAddOns).find(`${cluster}/${name}`);
      const step = { wanted: wantedAddOn(name, cluster, options, configs, existing), ...(existing && { existing }) };
      const addOn = await write(hub.client, step, dryRun);
      written.push(addOn);
      report.add(withKind(managedClusterAddOns, addOn), outcomeOf(step));
    }
  }
  if (options.wait && !dryRun) await whenAvailable(context, hub.client, written, options.timeout);
  report.end();
}

/** The add-on with what the flags say; what they do not say stays as it is. */
function wantedAddOn(
  name: string,
  cluster: string,
  { namespace, annotate = {}, labels = {} }: AddOnEnableOptions,
  configs: readonly FileConfig[] | undefined,
  existing: ManagedClusterAddOn | undefined,
): ManagedClusterAddOn {
  const place: Record<string, string> =
    namespace === undefined ? {} : { [Annotation.LegacyInstallNamespace]: namespace };
  const annotations = { ...existing?.metadata?.annotations, ...place, ...annotate };
  const allLabels = { ...existing?.metadata?.labels, ...labels };
  return {
    ...existing,
    metadata: {
      ...existing?.metadata,
      namespace: cluster,
      name,
      ...(Object.keys(annotations).length > 0 && { annotations }),
      ...(Object.keys(allLabels).length > 0 && { labels: allLabels }),
    },
    spec: { ...existing?.spec, ...(configs && { configs: configs.map(({ reference }) => reference) }) },
  };
}

const isSame = ({ wanted, existing }: Step): boolean =>
  existing !== undefined &&
  semanticEqual(wanted.spec, existing.spec) &&
  semanticEqual(wanted.metadata?.annotations, existing.metadata?.annotations) &&
  semanticEqual(wanted.metadata?.labels, existing.metadata?.labels);

async function write(client: KubeClient, step: Step, dryRun: boolean): Promise<ManagedClusterAddOn> {
  const handle = client.resource(managedClusterAddOns);
  if (!step.existing) return handle.create(step.wanted, { dryRun });
  return isSame(step) ? step.existing : handle.replace(step.wanted, { dryRun });
}

function outcomeOf(step: Step): string {
  const { namespace: cluster, name, annotations } = step.wanted.metadata ?? {};
  if (isSame(step)) return `${name} add-on is enabled already on managed cluster: ${cluster}.`;
  const place = annotations?.[Annotation.LegacyInstallNamespace] ?? NamespaceName.AgentAddOn;
  return `Deploying ${name} add-on to namespaces ${place} of managed cluster: ${cluster}.`;
}

async function whenAvailable(
  context: CliContext,
  client: KubeClient,
  addOns: readonly ManagedClusterAddOn[],
  timeout: number,
): Promise<void> {
  using progress = startProgress(context);
  for (const { metadata } of addOns) {
    const { namespace: cluster, name } = metadata ?? {};
    const goal = `add-on ${name} on ${cluster} to be Available`;
    const hint = `See why: \`${context.program} explain addon ${name} --cluster ${cluster}\`.`;
    await waitFor(context, { goal, hint, timeoutMs: timeout * 1000, progress }, async () => {
      const addOn = await client.resource(managedClusterAddOns).get(keyOf({ metadata: metadata ?? {} }));
      const available = findCondition(addOn.status?.conditions, ManagedClusterAddOnCondition.Available);
      return available?.status === 'True'
        ? { found: true }
        : { pending: addOnState(addOn) || 'nothing is reported yet' };
    });
    progress.done(`Add-on ${name} on ${cluster} is Available.`);
  }
}
