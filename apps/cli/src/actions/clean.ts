import { managedClusters, NamespaceName } from '@flotilla/api-types';
import { deployments, type KubeClient } from '@flotilla/kube';
import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors.ts';
import { requireHub } from '../hub/accept.ts';
import { bootstrapObjects, hubNamespaces } from '../hub/bootstrap-objects.ts';
import { bootstrapTokenSecret } from '../hub/bootstrap-token.ts';
import { clusterInfo } from '../hub/cluster-info.ts';
import { controllerObjects } from '../hub/controller-objects.ts';
import { hubDefinitions } from '../hub/definitions.ts';
import { findLeader } from '../hub/leader.ts';
import { removeLeftovers } from '../hub/leftovers.ts';
import { forceOutCluster } from '../hub/remove-cluster.ts';
import { webhookObjects } from '../hub/webhook-objects.ts';
import { startProgress } from '../output/progress.ts';
import { startReport } from '../output/removal-report.ts';
import { type Removal, removeObjects } from '../remove.ts';

/** The flags of `clean`. */
export interface CleanOptions {
  readonly force?: boolean;
  readonly output: string;
}

/** Takes away everything that `init` made. */
export async function clean(context: CliContext, options: CleanOptions & GlobalOptions): Promise<void> {
  const { dryRun = false, force = false } = options;
  await using hub = await context.connector.toCluster(options);
  const { client } = hub;
  await requireHub(client);
  const names = (await client.resource(managedClusters).list()).items.map(({ metadata }) => metadata?.name ?? '');
  if (names.length > 0 && !force) {
    throw new CliError(
      'precondition',
      `the hub still has clusters: ${names.join(', ')}`,
      `Take them away first: \`${context.program} unjoin --cluster-name NAME --hub-kubeconfig FILE\` with the kubeconfig of each, or kubectl delete managedcluster NAME. With --force they are taken off the hub, and what runs on them stays.`,
    );
  }
  const leader = await findLeader(client, context.clock);
  if ('found' in leader && !force && !(await runsInCluster(client))) {
    throw new CliError(
      'precondition',
      `the hub still runs (${leader.found}) and would make again what is taken away`,
      'End it first. One that was killed counts until its lease has run out; with --force it is not asked about.',
    );
  }
  using progress = startProgress(context);
  const report = startReport(context, { dryRun, output: options.output });
  const removal: Removal = {
    context,
    client,
    dryRun,
    force,
    timeoutMs: options.timeout * 1000,
    progress,
    removed: report.removed,
  };
  // Before anything else: nobody may answer them any more, and then no cluster could be changed.
  await removeObjects(removal, [webhookObjects()]);
  for (const name of names) await forceOutCluster(removal, name);
  await removeObjects(removal, [
    [clusterInfo(hub.access), bootstrapTokenSecret()],
    bootstrapObjects(),
    controllerObjects(),
    hubNamespaces(),
  ]);
  await removeLeftovers(removal);
  // Last, since they are what makes it a hub: whoever was interrupted can do it again.
  await removeObjects(removal, [await hubDefinitions()]);
  report.end();
}

/** Then it ends with its namespace. */
const runsInCluster = async (client: KubeClient): Promise<boolean> =>
  (await client.resource(deployments).list({ namespace: NamespaceName.Hub })).items.length > 0;
