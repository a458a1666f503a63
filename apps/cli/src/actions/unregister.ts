import { Label, managedClusters, manifestWorks } from '@flotilla/api-types';
import { type Removal, removeObject } from '@flotilla/install';
import { isAbsence } from '@flotilla/kube';
import { isPushed } from '@flotilla/registration-core/push';
import { removalOf } from '../cluster/removal.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { startProgress } from '../output/progress.ts';
import { type UnjoinOptions, unjoin } from './unjoin.ts';

/** The flags of `unregister`: karmadactl's, and those of `unjoin`. */
export interface UnregisterOptions extends Omit<UnjoinOptions, 'clusterName'> {
  readonly clusterKubeconfig?: string;
  readonly clusterContext?: string;
  readonly karmadaConfig?: string;
  readonly karmadaContext?: string;
}

/**
 * Removes a cluster that an agent connects: its works first, which need the agent and its rights, then the cluster on the hub, then
 * what `register` made here.
 */
export async function unregister(
  context: CliContext,
  clusterName: string,
  options: UnregisterOptions & GlobalOptions,
): Promise<void> {
  const hubKubeconfig = options.hubKubeconfig ?? options.karmadaConfig;
  const hubContext = options.hubContext ?? options.karmadaContext;
  const kubeconfig = options.clusterKubeconfig ?? options.kubeconfig;
  const clusterContext = options.clusterContext ?? options.context;
  const { dryRun, force, timeout, output, purgeOperator } = options;
  if (hubKubeconfig !== undefined || hubContext !== undefined) {
    const choice = { ...(hubKubeconfig && { kubeconfig: hubKubeconfig }), ...(hubContext && { context: hubContext }) };
    await removeWorks(context, clusterName, options, choice);
  }
  await unjoin(context, {
    clusterName,
    timeout,
    output,
    purgeOperator,
    ...(dryRun !== undefined && { dryRun }),
    ...(force !== undefined && { force }),
    ...(hubKubeconfig !== undefined && { hubKubeconfig }),
    ...(hubContext !== undefined && { hubContext }),
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(clusterContext !== undefined && { context: clusterContext }),
  });
}

/** Deletes the works of a cluster and waits until its agent has removed what they applied. Those of add-ons go with their add-ons. */
async function removeWorks(
  context: CliContext,
  clusterName: string,
  options: UnregisterOptions,
  choice: GlobalOptions,
): Promise<void> {
  await using hub = await context.connector.toCluster(choice);
  const cluster = await hub.client.resource(managedClusters).find(clusterName);
  if (!cluster) return;
  if (isPushed(cluster)) {
    throw new CliError(
      'precondition',
      `the hub reaches ${clusterName} itself: no agent registered it`,
      `Remove it by \`${context.program} unjoin ${clusterName} --cluster-kubeconfig FILE\`.`,
    );
  }
  using progress = startProgress(context);
  const removed = (what: string) =>
    progress.done(`${options.dryRun ? 'Would remove' : 'Removed'} ${what} from the hub`);
  const removal: Removal = removalOf(context, hub.client, options, { progress, removed, left: () => {} });
  const handle = hub.client.metadata(manifestWorks);
  const { items } = await handle.list({ namespace: clusterName }).catch((error: unknown) => {
    if (isAbsence(error)) return { items: [] };
    throw error;
  });
  const works = items.filter(({ metadata }) => metadata?.labels?.[Label.AddOnName] === undefined);
  await Promise.all(works.map((work) => removeObject(removal, handle, { ...work, kind: manifestWorks.kind })));
}
