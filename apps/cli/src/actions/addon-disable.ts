import {
  type ClusterManagementAddOn,
  clusterManagementAddOns,
  type ManagedClusterAddOn,
  managedClusterAddOns,
} from '@flotilla/api-types';
import { type KubeClient, keyOf } from '@flotilla/kube';
import { chosenAddOns } from '../addon/addon-names.ts';
import { addOnState } from '../addon/addon-state.ts';
import { placementsSelecting } from '../addon/installing-placements.ts';
import { waitFor } from '../cluster/wait.ts';
import type { ChangeOptions, CliContext, GlobalOptions, WaitOptions } from '../context.ts';
import { requireHub } from '../hub/accept.ts';
import { startChangeReport } from '../output/change-report.ts';
import { withKind } from '../output/kubectl-name.ts';
import { startProgress } from '../output/progress.ts';
import { type ClustersOptions, chosenClusters, requireClusters } from '../work/choose-clusters.ts';

/** The flags of `addon disable`. */
export interface AddOnDisableOptions extends ClustersOptions, ChangeOptions, WaitOptions {
  readonly names?: readonly string[];
  readonly wait?: boolean;
  readonly output: string;
}

/** Disables add-ons on clusters, or on all that have them. */
export async function disableAddOns(context: CliContext, options: AddOnDisableOptions & GlobalOptions): Promise<void> {
  const { dryRun = false } = options;
  const example = `For example: \`${context.program} addon disable --names hello --clusters cluster1\`.`;
  const names = chosenAddOns(options.names, example);
  const named = chosenClusters(options);
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  await requireClusters(hub.client, named, context.program);
  const handle = hub.client.resource(managedClusterAddOns);
  const removed: ManagedClusterAddOn[] = [];
  const report = startChangeReport(context, options);
  for (const name of names) {
    const { items } = await handle.list({ fieldSelector: `metadata.name=${name}` });
    const isFound = (cluster: string) => items.some(({ metadata }) => metadata?.namespace === cluster);
    for (const cluster of named.filter((each) => !isFound(each))) {
      context.err.write(`${name} add-on not found in cluster: ${cluster}.\n`);
    }
    if (named.length === 0 && items.length === 0) context.err.write(`${name} add-on not found in any cluster.\n`);
    const chosen = items.filter(({ metadata }) => named.length === 0 || named.includes(metadata?.namespace ?? ''));
    await warnOfReturn(context, hub.client, name, chosen);
    for (const addOn of chosen) {
      await handle.delete(keyOf(addOn), { dryRun, preconditions: { uid: addOn.metadata?.uid } });
      removed.push(addOn);
      report.add(
        withKind(managedClusterAddOns, addOn),
        `Undeploying ${name} add-on in managed cluster: ${addOn.metadata?.namespace}.`,
      );
    }
  }
  if (options.wait && !dryRun) await whenGone(context, hub.client, removed, options.timeout);
  report.end();
}

/** An add-on that a placement installs comes back at once; without a word that looks as if nothing had happened. */
async function warnOfReturn(
  context: CliContext,
  client: KubeClient,
  name: string,
  addOns: readonly ManagedClusterAddOn[],
): Promise<void> {
  const offered: ClusterManagementAddOn | undefined = await client.resource(clusterManagementAddOns).find(name);
  if (!offered) return;
  for (const { metadata } of addOns) {
    const cluster = metadata?.namespace ?? '';
    const [placement] = await placementsSelecting(client, offered, cluster);
    if (!placement) continue;
    const key = `${placement.namespace}/${placement.name}`;
    context.err.write(
      `${name} is installed on ${cluster} by placement ${key}, so it comes back: take the cluster out of the placement, or the placement out of the ClusterManagementAddOn.\n`,
    );
  }
}

async function whenGone(
  context: CliContext,
  client: KubeClient,
  addOns: readonly ManagedClusterAddOn[],
  timeout: number,
): Promise<void> {
  using progress = startProgress(context);
  for (const addOn of addOns) {
    const { namespace: cluster, name, uid } = addOn.metadata ?? {};
    const goal = `add-on ${name} to be removed from ${cluster}`;
    const hint = `See what holds it: \`${context.program} explain addon ${name} --cluster ${cluster}\`.`;
    await waitFor(context, { goal, hint, timeoutMs: timeout * 1000, progress }, async () => {
      const left = await client.resource(managedClusterAddOns).find(keyOf(addOn));
      return left && left.metadata?.uid === uid ? { pending: addOnState(left) } : { found: true };
    });
    progress.done(`Add-on ${name} is removed from ${cluster}.`);
  }
}
