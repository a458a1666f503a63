import { appliedManifestWorks } from '@flotilla/api-types';
import { type KubeClient, KubeError } from '@flotilla/kube';
import type { CliContext, Connection, GlobalOptions } from '../context.ts';
import { CliError } from '../errors.ts';
import { removeCluster } from '../hub/remove-cluster.ts';
import { leaveHub, listKlusterlets } from '../managed/leave.ts';
import { type Progress, startProgress } from '../output/progress.ts';
import { startReport } from '../output/removal-report.ts';
import { letGo, type Removal } from '../remove.ts';

/** The flags of `unjoin`. */
export interface UnjoinOptions {
  readonly clusterName: string;
  readonly hubKubeconfig?: string;
  readonly hubContext?: string;
  readonly force?: boolean;
  readonly output: string;
}

/** Takes a cluster out of its hub: there first if the hub is named, so that all is cleaned up while the agent still runs. */
export async function unjoin(context: CliContext, options: UnjoinOptions & GlobalOptions): Promise<void> {
  const { clusterName, dryRun = false, force = false, output } = options;
  await using managed = await context.connector.toCluster(options);
  const { client } = managed;
  const joined = await listKlusterlets(client);
  const own = joined.find(({ spec }) => spec?.clusterName === clusterName);
  if (!own && joined.length > 0) {
    const names = joined.map(({ spec }) => spec?.clusterName ?? '').join(', ');
    throw new CliError(
      'precondition',
      `this cluster is not joined as ${clusterName}, but as ${names}`,
      'Give that --cluster-name, or choose another cluster with --kubeconfig or --context.',
    );
  }
  using progress = startProgress(context);
  const report = startReport(context, { dryRun, output });
  let count = 0;
  const removed = (what: string) => {
    count += 1;
    report.removed(what);
  };
  const removal: Removal = { context, client, dryRun, force, timeoutMs: options.timeout * 1000, progress, removed };
  const namesHub = options.hubKubeconfig !== undefined || options.hubContext !== undefined;
  const left = namesHub && (await leaveAtHub(removal, options, managed));
  const works = await appliedWorks(client);
  if (works.length > 0 && !dryRun) {
    if (!force) throw worksAreApplied(works);
    await forgetWorks(client, works, progress);
  }
  await leaveHub(removal, own);
  // Its agent may have asked again before it ended.
  if (left && !dryRun) await leaveAtHub(removal, options, managed);
  report.end();
  if (count === 0) context.err.write(`This cluster is not joined as ${clusterName}: nothing to remove.\n`);
  else if (!namesHub) {
    context.err.write(
      `The hub still has ManagedCluster ${clusterName}, which will become Unknown. Remove it there: kubectl delete managedcluster ${clusterName}\n`,
    );
  }
}

/** Takes the cluster off its hub; false if the hub cannot be used. */
async function leaveAtHub(
  removal: Removal,
  options: UnjoinOptions & GlobalOptions,
  managed: Connection,
): Promise<boolean> {
  const { context, force, progress } = removal;
  const { hubKubeconfig: kubeconfig = options.kubeconfig, hubContext } = options;
  await using hub = await context.connector.toCluster({
    ...(kubeconfig && { kubeconfig }),
    ...(hubContext && { context: hubContext }),
  });
  if (hub.access.server === managed.access.server) {
    throw new CliError(
      'usage',
      'the hub and this cluster are the same',
      'Choose them with --kubeconfig or --context, and --hub-kubeconfig or --hub-context.',
    );
  }
  const removed = (what: string) => removal.removed(`${what} from the hub`);
  try {
    await removeCluster({ ...removal, client: hub.client, removed }, options.clusterName);
    return true;
  } catch (error) {
    if (!force || !KubeError.is(error, 'Unavailable', 'Timeout', 'Tls', 'Unauthorized')) throw error;
    progress.done(
      `The hub cannot be used (${KubeError.from(error).message}): ManagedCluster ${options.clusterName} stays there.`,
    );
    return false;
  }
}

const appliedWorks = async (client: KubeClient): Promise<string[]> => {
  try {
    return (await client.metadata(appliedManifestWorks).list()).items.map(({ metadata }) => metadata?.name ?? '');
  } catch (error) {
    if (KubeError.is(error, 'NotFound')) return [];
    throw error;
  }
};

const worksAreApplied = (works: readonly string[]): CliError =>
  new CliError(
    'precondition',
    `works are still applied on this cluster: ${works.join(', ')}`,
    'Delete them on the hub first, or the whole cluster with --hub-kubeconfig. With --force what they applied stays behind.',
  );

/** Nobody cleans up after them any more: what they applied stays. */
async function forgetWorks(client: KubeClient, works: readonly string[], progress: Progress): Promise<void> {
  const handle = client.resource(appliedManifestWorks);
  for (const work of works) {
    await letGo(handle, work);
    await handle.delete(work);
    progress.done(`What AppliedManifestWork ${work} lists was left on this cluster.`);
  }
}
