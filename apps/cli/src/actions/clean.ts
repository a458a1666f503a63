import { AppLabelValue, clusterManagers, managedClusters, NamespaceName } from '@flotilla/api-types';
import {
  clusterInfo,
  clusterInfoAccess,
  type Removal,
  removeHub,
  removeObjects,
  removeWebhooks,
} from '@flotilla/install';
import type { KubeClient } from '@flotilla/kube';
import { deployments } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { removalOf } from '../cluster/removal.ts';
import { ifServed } from '../cluster/served.ts';
import type { ChangeOptions, CliContext, GlobalOptions, WaitOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { requireHub } from '../hub/accept.ts';
import { bootstrapTokenReference } from '../hub/bootstrap-token.ts';
import { ownedTokens } from '../hub/join-tokens.ts';
import { findLeader } from '../hub/leader.ts';
import { forceRemoveCluster } from '../hub/remove-cluster.ts';
import { hasOperator, hubBootstrapObjects, removeHubOperator } from '../operator/remove-operator.ts';
import { removeClusterManager } from '../operator/remove-reconciled.ts';
import { startProgress } from '../output/progress.ts';
import { startReport } from '../output/removal-report.ts';

/** The flags of `clean`. */
export interface CleanOptions extends ChangeOptions, WaitOptions {
  readonly force?: boolean;
  /** Of the ClusterManager. */
  readonly name: string;
  readonly purgeOperator: boolean;
  readonly output: string;
}

/** Removes what `init` and the hub created. */
export async function clean(context: CliContext, options: CleanOptions & GlobalOptions): Promise<void> {
  const { dryRun = false, force = false } = options;
  await using hub = await context.connector.toCluster(options);
  const { client } = hub;
  const byOperator = await hasOperator(client, AppLabelValue.ClusterManager);
  if (!byOperator) await requireHub(client);
  const names = await clusterNames(client);
  if (names.length > 0 && !force) {
    throw new CliError(
      'precondition',
      `the hub still has clusters: ${names.join(', ')}`,
      `Remove them first: \`${context.program} unjoin --cluster-name NAME --hub-kubeconfig FILE\` with the kubeconfig of each, or kubectl delete managedcluster NAME. With --force they are taken off the hub, and what runs on them stays.`,
    );
  }
  const leader = byOperator ? { pending: '' } : await findLeader(client, context.clock);
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
  if (!byOperator) await removeWebhooks(removal);
  for (const name of names) await forceRemoveCluster(removal, name);
  const published = [clusterInfo(hub.access), bootstrapTokenReference(), ...(await ownedTokens(client))];
  if (byOperator) await cleanByOperator(removal, options, [...published, ...clusterInfoAccess()]);
  else await removeHub(removal, published);
  report.end();
}

/** The operator removes what it made, then it goes itself. */
async function cleanByOperator(
  removal: Removal,
  { name, purgeOperator }: CleanOptions,
  published: readonly KubeObject[],
): Promise<void> {
  // No new cluster comes while the hub goes.
  await removeObjects(removal, [[...published, ...hubBootstrapObjects()]]);
  await removeClusterManager(removal, name);
  if (!purgeOperator) return;
  const left = await removal.client.resource(clusterManagers).list();
  if (left.items.length > 0 && !removal.dryRun) {
    removal.reporter.note('operator not purged: there are other ClusterManagers on this cluster');
    return;
  }
  await removeHubOperator(removal);
}

/** Of the clusters of a hub; none if the operator has not made it one yet. */
async function clusterNames(client: KubeClient): Promise<string[]> {
  const { items } = await ifServed(() => client.resource(managedClusters).list(), { items: [] });
  return items.map(({ metadata }) => metadata?.name ?? '');
}

/** Then it ends with its namespace. */
const runsInCluster = async (client: KubeClient): Promise<boolean> =>
  (await client.resource(deployments).list({ namespace: NamespaceName.Hub })).items.length > 0;
