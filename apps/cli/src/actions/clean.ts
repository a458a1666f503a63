import { managedClusters, NamespaceName } from '@flotilla/api-types';
import { clusterInfo, removeHub, removeWebhooks } from '@flotilla/install';
import type { KubeClient } from '@flotilla/kube';
import { deployments } from '@flotilla/kube/kinds';
import { removalOf } from '../cluster/removal.ts';
import type { ChangeOptions, CliContext, GlobalOptions, WaitOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { requireHub } from '../hub/accept.ts';
import { bootstrapTokenSecret } from '../hub/bootstrap-token.ts';
import { findLeader } from '../hub/leader.ts';
import { forceRemoveCluster } from '../hub/remove-cluster.ts';
import { startProgress } from '../output/progress.ts';
import { startReport } from '../output/removal-report.ts';

/** The flags of `clean`. */
export interface CleanOptions extends ChangeOptions, WaitOptions {
  readonly force?: boolean;
  readonly output: string;
}

/** Removes what `init` and the hub created. */
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
      `the hub still runs (${leader.found}) and would create again what is removed`,
      'Stop it first. One that was killed counts until its lease has expired; --force does not wait for that.',
    );
  }
  using progress = startProgress(context);
  const report = startReport(context, { dryRun, output: options.output });
  const removal = removalOf(context, client, options, { progress, ...report });
  await removeWebhooks(removal);
  for (const name of names) await forceRemoveCluster(removal, name);
  await removeHub(removal, [clusterInfo(hub.access), bootstrapTokenSecret()]);
  report.end();
}

/** Then it ends with its namespace. */
const runsInCluster = async (client: KubeClient): Promise<boolean> =>
  (await client.resource(deployments).list({ namespace: NamespaceName.Hub })).items.length > 0;
