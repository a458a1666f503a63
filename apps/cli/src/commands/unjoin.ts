import { appliedManifestWorks, managedClusters } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import { type Connection, connect } from '../connect.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors.ts';
import { stageOf } from '../hub/cluster-rows.ts';
import { findKlusterlet, leaveHub } from '../managed/leave.ts';
import { type Progress, startProgress } from '../output/progress.ts';
import { waitFor } from '../waiting.ts';
import { type AddCommand, allOptions } from './command.ts';

interface UnjoinOptions {
  readonly clusterName: string;
  readonly hubKubeconfig?: string;
  readonly hubContext?: string;
  readonly force?: boolean;
}

export const addUnjoin: AddCommand = (program, context) => {
  program
    .command('unjoin')
    .summary('take this cluster out of its hub')
    .description(
      'Takes this cluster out of its hub: removes the agent and everything that join made, and says what it removed. With --hub-kubeconfig or --hub-context the cluster is first removed from the hub, so that works and add-ons are cleaned up while its agent still runs.',
    )
    .requiredOption('--cluster-name <name>', 'what this cluster is called on the hub')
    .option('--hub-kubeconfig <file>', 'kubeconfig of the hub, to remove the cluster there first')
    .option('--hub-context <name>', 'context of the hub, to remove the cluster there first')
    .option('--force', 'leave the cluster even if works are still applied on it: what they applied stays behind')
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla unjoin --cluster-name cluster1 --context kind-cluster1 --hub-context kind-hub
  $ flotilla unjoin --cluster-name cluster1 --force   # the hub is gone for good
`,
    )
    .action((_options, command) => unjoin(context, allOptions<UnjoinOptions>(command)));
};

async function unjoin(context: CliContext, options: UnjoinOptions & GlobalOptions): Promise<void> {
  const { clusterName, dryRun = false, force = false } = options;
  await using managed = await connect(context, options);
  const klusterlet = await findKlusterlet(managed.client, clusterName);
  using progress = startProgress(context);
  if (options.hubKubeconfig !== undefined || options.hubContext !== undefined) {
    const { hubKubeconfig: kubeconfig = options.kubeconfig, hubContext } = options;
    await using hub = await connect(context, {
      ...(kubeconfig && { kubeconfig }),
      ...(hubContext && { context: hubContext }),
    });
    refuseSameCluster(hub, managed);
    if (dryRun) progress.done(`Would remove ManagedCluster ${clusterName} from the hub ${hub.access.server}.`);
    else await removeFromHub(context, hub.client, clusterName, options.timeout, progress);
  }
  if (!klusterlet) {
    context.out.write(`This cluster is not joined as ${clusterName}: nothing to remove.\n`);
    return;
  }
  const works = await appliedWorks(managed.client);
  if (works.length > 0 && !force) {
    throw new CliError(
      'precondition',
      `works are still applied on this cluster: ${works.join(', ')}`,
      'Delete them on the hub first, or the whole cluster with --hub-kubeconfig. With --force what they applied stays behind.',
    );
  }
  const removed = await leaveHub(context, managed.client, klusterlet, {
    dryRun,
    timeoutMs: options.timeout * 1000,
    progress,
  });
  for (const line of removed) context.out.write(`${dryRun ? 'Would remove' : 'Removed'} ${line}\n`);
  if (options.hubKubeconfig === undefined && options.hubContext === undefined) {
    context.err.write(
      `The hub still has ManagedCluster ${clusterName}, which will become Unknown. Remove it there: kubectl delete managedcluster ${clusterName}\n`,
    );
  }
}

function refuseSameCluster(hub: Connection, managed: Connection): void {
  if (hub.access.server !== managed.access.server) return;
  throw new CliError(
    'usage',
    'the hub and this cluster are the same',
    'Choose them with --kubeconfig or --context, and --hub-kubeconfig or --hub-context.',
  );
}

const appliedWorks = async (client: KubeClient): Promise<string[]> =>
  (await client.resource(appliedManifestWorks).list()).items.map(({ metadata }) => metadata?.name ?? '');

/** Deletes the ManagedCluster and waits until the hub has cleaned up after it. */
async function removeFromHub(
  context: CliContext,
  hub: KubeClient,
  name: string,
  timeout: number,
  progress: Progress,
): Promise<void> {
  const clusters = hub.resource(managedClusters);
  if (!(await clusters.find(name))) return;
  await clusters.delete(name);
  const hint = `See what it waits for: \`${context.program} get clusters -o wide\` on the hub.`;
  await waitFor(context, { goal: `the hub to remove ${name}`, hint, timeoutMs: timeout * 1000, progress }, async () => {
    const left = await clusters.find(name);
    return left ? { pending: stageOf(left) } : { found: true };
  });
  progress.done(`Removed ManagedCluster ${name} from the hub.`);
}
