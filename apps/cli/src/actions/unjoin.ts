import { AppLabelValue, type Klusterlet, managedClusters } from '@flotilla/api-types';
import {
  listAppliedWorks,
  listKlusterlets,
  type Membership,
  ownWorks,
  type Removal,
  removeAgent,
} from '@flotilla/install';
import { isDeleting, type KubeClient, KubeError } from '@flotilla/kube';
import { namespaces } from '@flotilla/kube/kinds';
import { apiVersionOf } from '@flotilla/kube/meta';
import { removalOf } from '../cluster/removal.ts';
import { ifServed } from '../cluster/served.ts';
import type { ChangeOptions, CliContext, Connection, GlobalOptions, WaitOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { removeCluster } from '../hub/remove-cluster.ts';
import { worksAreApplied } from '../operator/applied-works.ts';
import { isHostedKlusterlet, removeHosted } from '../operator/remove-hosted.ts';
import { hasOperator, operatorDefinitions, removeKlusterletOperator } from '../operator/remove-operator.ts';
import { startProgress } from '../output/progress.ts';
import { startReport } from '../output/removal-report.ts';

/** The flags of `unjoin`. */
export interface UnjoinOptions extends ChangeOptions, WaitOptions {
  readonly clusterName: string;
  readonly hubKubeconfig?: string;
  readonly hubContext?: string;
  readonly force?: boolean;
  readonly purgeOperator: boolean;
  readonly output: string;
}

/** Removes a cluster from its hub: there first if the hub is named, so that its agent cleans up while it still runs. */
export async function unjoin(context: CliContext, options: UnjoinOptions & GlobalOptions): Promise<void> {
  const { clusterName, dryRun = false, output } = options;
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
  const removal = removalOf(context, client, options, { progress, removed, left: report.left });
  const namesHub = options.hubKubeconfig !== undefined || options.hubContext !== undefined;
  const local = { managed, own };
  const left = namesHub && (await leaveAtHub(context, removal, options, local));
  const others = joined.filter((klusterlet) => klusterlet !== own);
  const byOperator = await hasOperator(client, AppLabelValue.Klusterlet);
  const made = byOperator ? await operatorDefinitions(client) : [];
  if (own && isHostedKlusterlet(own)) await removeHosted(context, removal, own);
  else await removeLocal(removal, { klusterlet: own, others, keepsDefinitions: byOperator });
  if (byOperator && options.purgeOperator) {
    if (others.length > 0) reportOthers(removal);
    else await removeKlusterletOperator(removal, made);
  }
  // Its agent may have asked again before it ended.
  if (left && !dryRun) await leaveAtHub(context, removal, options, local, { last: true });
  report.end();
  if (count === 0) context.err.write(`This cluster is not joined as ${clusterName}: nothing to remove.\n`);
  else if (!namesHub) {
    context.err.write(
      `The hub still has ManagedCluster ${clusterName}, which will become Unknown. Remove it there: kubectl delete managedcluster ${clusterName}\n`,
    );
  }
}

/** Removes an agent from the cluster that it runs on. */
async function removeLocal(removal: Removal, membership: Omit<Membership, 'isOwnWork'>): Promise<void> {
  const { client, dryRun, force } = removal;
  const isOwnWork = await ownWorks(client, membership.klusterlet, membership.others);
  const works = await listAppliedWorks(client, isOwnWork);
  if (works.length > 0 && !dryRun && !force) throw worksAreApplied(works);
  await removeAgent(removal, { ...membership, isOwnWork });
}

const reportOthers = ({ reporter }: Removal): void =>
  reporter.note('operator not purged: there are other klusterlet on cluster');

/** The cluster to remove from its hub. */
interface LocalCluster {
  readonly managed: Connection;
  readonly own: Klusterlet | undefined;
}

/** Removes the cluster from its hub; false if the hub cannot be used. */
async function leaveAtHub(
  context: CliContext,
  removal: Removal,
  options: UnjoinOptions & GlobalOptions,
  { managed, own }: LocalCluster,
  { last = false } = {},
): Promise<boolean> {
  const { force, reporter } = removal;
  const { hubKubeconfig: kubeconfig = options.kubeconfig, hubContext } = options;
  await using hub = await context.connector.toCluster({
    ...(kubeconfig && { kubeconfig }),
    ...(hubContext && { context: hubContext }),
  });
  if (hub.access.server === managed.access.server) await checkSameCluster(hub.client, options.clusterName, own);
  const removed = (what: string) => reporter.removed(`${what} from the hub`);
  try {
    await removeCluster(
      { ...removal, client: hub.client, reporter: { ...reporter, removed } },
      options.clusterName,
      context.program,
    );
    if (last) await reportNamespace(hub.client, options.clusterName, reporter.note);
    return true;
  } catch (error) {
    if (!force || !KubeError.is(error, 'Unavailable', 'Timeout', 'Tls', 'Unauthorized')) throw error;
    reporter.note(
      `The hub cannot be used (${KubeError.from(error).message}): ManagedCluster ${options.clusterName} stays there.`,
    );
    return false;
  }
}

/** A hub may be a managed cluster of its own, or host the agents of others: it has their Klusterlet then. */
async function checkSameCluster(hub: KubeClient, clusterName: string, own: Klusterlet | undefined): Promise<void> {
  const isHubServer = await isHub(hub);
  if (own && isHubServer) return;
  throw new CliError(
    'usage',
    `the hub and this cluster are the same, and it ${isHubServer ? `has no Klusterlet of ${clusterName}` : 'is not a hub'}`,
    'Choose this cluster with --kubeconfig or --context, and the hub with --hub-kubeconfig or --hub-context.',
  );
}

const isHub = (client: KubeClient): Promise<boolean> =>
  ifServed(
    async () =>
      Boolean(await client.dynamic({ apiVersion: apiVersionOf(managedClusters), kind: managedClusters.kind })),
    false,
  );

/** The hub keeps the namespace of a removed cluster, as OCM does: others may have put something there. */
async function reportNamespace(hub: KubeClient, name: string, note: (message: string) => void): Promise<void> {
  const found = await hub.resource(namespaces).find(name);
  if (!found || isDeleting(found)) return;
  note(`The hub keeps Namespace ${name} and what is in it. To remove it there: kubectl delete namespace ${name}`);
}
