import { ClusterProxyApi, clusterProxyPath, ManagedClusterCondition, managedClusters } from '@flotilla/api-types';
import { findCondition, type KubeClient, KubeError } from '@flotilla/kube';
import { leases } from '@flotilla/kube/kinds';
import { isPushed } from '@flotilla/registration-core/push';
import type { CliContext, GlobalOptions } from '../context.ts';
import { formatValue, isMachineFormat } from '../output/format.ts';
import { formatTable, noResources } from '../output/table.ts';
import { problemOf, reachableClusters, requireProxyApi } from '../reach/member-access.ts';

/** The flags of `proxy health`. */
export interface ProxyHealthOptions {
  readonly clusters?: readonly string[];
  /** One name if `proxy` took the flag, before its command did. */
  readonly cluster?: string | readonly string[];
  readonly output: string;
}

/** What is found out about one cluster; the words are clusteradm's. */
interface ClusterHealth {
  readonly cluster: string;
  /** Whether its agent has ever connected. A pushed cluster needs none. */
  readonly installed: string;
  /** Whether it is connected now. Of a pushed cluster: whether the hub reports it as available. */
  readonly available: string;
  /** Whether its API server answers. */
  readonly health: string;
  readonly latency: string;
  readonly message: string;
}

const deadlineMs = 10_000;

/** Asks each cluster through the hub whether it is healthy. */
export async function proxyHealth(context: CliContext, options: ProxyHealthOptions & GlobalOptions): Promise<void> {
  await using hub = await context.connector.toCluster(options);
  await requireProxyApi(hub.client);
  const named = [...new Set([options.clusters ?? [], options.cluster ?? []].flat())];
  const clusters = await reachableClusters(hub.client, named.length > 0 ? named : undefined);
  const found = await Promise.all(clusters.map((cluster) => healthOf(context, hub.client, cluster)));
  if (isMachineFormat(options.output)) return void context.out.write(formatValue(found, options.output));
  if (found.length === 0) return void context.err.write(noResources);
  const rows = found.map(({ cluster, installed, available, health, latency }) => [
    cluster,
    installed,
    available,
    health,
    latency,
  ]);
  context.out.write(formatTable(['CLUSTER NAME', 'INSTALLED', 'AVAILABLE', 'PROBED HEALTH', 'LATENCY'], rows));
  for (const { cluster, message } of found) if (message !== '') context.err.write(`${cluster}: ${message}\n`);
}

async function healthOf({ clock }: CliContext, client: KubeClient, cluster: string): Promise<ClusterHealth> {
  const { installed, available } = await connectionOf(client, cluster);
  const started = clock.monotonic();
  try {
    await client.transport.request({ method: 'GET', path: `${clusterProxyPath(cluster)}/healthz`, deadlineMs });
    const latency = `${Math.round(clock.monotonic() - started)}ms`;
    return { cluster, installed, available, health: 'True', latency, message: '' };
  } catch (error) {
    const problem = KubeError.from(error);
    const isLate = problem.code === 'Timeout';
    return {
      cluster,
      installed,
      available,
      health: isLate ? 'Unknown' : 'False',
      latency: isLate ? '<timeout>' : '<none>',
      message: problemOf(problem),
    };
  }
}

/** What the hub knows of the way to a cluster. `Unknown` is what the user may not read. */
async function connectionOf(
  client: KubeClient,
  cluster: string,
): Promise<Pick<ClusterHealth, 'installed' | 'available'>> {
  const unknown = () => null;
  const found = await client.resource(managedClusters).find(cluster).catch(unknown);
  if (found && isPushed(found)) {
    const condition = findCondition(found.status?.conditions, ManagedClusterCondition.Available);
    return { installed: 'True', available: condition?.status ?? 'Unknown' };
  }
  const record = await client.resource(leases).find(`${cluster}/${ClusterProxyApi.lease}`).catch(unknown);
  if (record === null) return { installed: 'Unknown', available: 'Unknown' };
  return { installed: word(record !== undefined), available: word(Boolean(record?.spec?.holderIdentity)) };
}

const word = (value: boolean): string => (value ? 'True' : 'False');
