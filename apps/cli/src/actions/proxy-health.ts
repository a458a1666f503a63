import { ClusterProxyApi, clusterProxyPath } from '@flotilla/api-types';
import { type KubeClient, KubeError } from '@flotilla/kube';
import { leases } from '@flotilla/kube/kinds';
import type { CliContext, GlobalOptions } from '../context.ts';
import { formatValue, isMachineFormat } from '../output/format.ts';
import { formatTable, noResources } from '../output/table.ts';
import { reachableClusters, requireProxyApi } from '../reach/member-access.ts';

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
  /** Whether its agent has ever connected. */
  readonly installed: string;
  /** Whether it is connected now. */
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
  const record = await client
    .resource(leases)
    .find(`${cluster}/${ClusterProxyApi.lease}`)
    .catch(() => null);
  const connected = record === null ? 'Unknown' : word(Boolean(record?.spec?.holderIdentity));
  const installed = record === null ? 'Unknown' : word(record !== undefined);
  const started = clock.monotonic();
  try {
    await client.transport.request({ method: 'GET', path: `${clusterProxyPath(cluster)}/healthz`, deadlineMs });
    const latency = `${Math.round(clock.monotonic() - started)}ms`;
    return { cluster, installed, available: connected, health: 'True', latency, message: '' };
  } catch (error) {
    const { code, message } = KubeError.from(error);
    const isLate = code === 'Timeout';
    return {
      cluster,
      installed,
      available: connected,
      health: isLate ? 'Unknown' : 'False',
      latency: isLate ? '<timeout>' : '<none>',
      message,
    };
  }
}

const word = (value: boolean): string => (value ? 'True' : 'False');
