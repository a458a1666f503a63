import { manifestWorks } from '@flotilla/api-types';
import { dataTypes, formatDataType } from '@flotilla/cloudevents';
import type { Cluster } from '@flotilla/envtest';
import { realClock } from '@flotilla/kube';
import { namespaces } from '@flotilla/kube/kinds';
import { cpuSeconds } from '../lib/cpu.ts';
import { rssMiB } from '../lib/memory.ts';
import { median, percentile } from '../lib/report.ts';
import { requestsOf } from '../lib/requests.ts';
import { type IdleAgents, idleAgents } from './agents.ts';
import type { Contest, ContestantName, RunningServer } from './contestants.ts';

/** What a server costs with its agents, and how fast it is. */
export interface ServerFigures {
  readonly connectSeconds: number;
  readonly rss: number;
  /** Percent of a core while nothing happens. */
  readonly idleCpu: number;
  readonly requestsPerMinute: number;
  /** Milliseconds from the write of a work on the hub to its event at the agent. */
  readonly event: { readonly p50: number; readonly p99: number };
}

const quietMs = 20_000;
const changes = 100;
const atOnce = 10;

/** Measures servers with so many agents each, at the same time and in turns: whatever else the machine does is the same for all. */
export async function measureServers(
  contest: Contest,
  hub: Cluster,
  names: readonly ContestantName[],
  count: number,
): Promise<ServerFigures[]> {
  await using cleanup = new AsyncDisposableStack();
  const measured: Measured[] = [];
  for (const name of names) {
    const server = cleanup.use(await contest.start(name));
    const prefix = `${name.toLowerCase()}-${count}`;
    measured.push({ server, prefix, agents: cleanup.use(idleAgents(contest, server)), connectMs: 0, latencies: [] });
  }
  // Ten at a time, as clusters come.
  for (let first = 0; first < count; first += atOnce) {
    for (const each of measured) {
      const clusters = Array.from({ length: Math.min(atOnce, count - first) }, (_, index) =>
        clusterOf(each, first + index),
      );
      const begin = realClock.monotonic();
      await each.agents.connect(clusters);
      each.connectMs += realClock.monotonic() - begin;
    }
  }
  await realClock.sleep(5000);
  const usage = () => Promise.all(measured.map(({ server }) => usageOf(hub, server)));
  const before = await usage();
  await realClock.sleep(quietMs);
  const after = await usage();
  await measureEvents(hub, measured);
  // Awaited here: the servers end with this function.
  return await Promise.all(
    measured.map(async ({ server, connectMs, latencies }, index) => {
      const [from, to] = [before[index], after[index]];
      return {
        connectSeconds: connectMs / 1000,
        rss: await rssMiB(server.program.pid),
        idleCpu: ((to?.cpu ?? 0) - (from?.cpu ?? 0)) / (quietMs / 1000) / 0.01,
        requestsPerMinute: ((to?.requests ?? 0) - (from?.requests ?? 0)) / (quietMs / 60_000),
        event: { p50: median(latencies), p99: percentile(latencies, 0.99) },
      };
    }),
  );
}

/** A server with its agents, and what was measured of it so far. */
interface Measured {
  readonly server: RunningServer;
  readonly prefix: string;
  readonly agents: IdleAgents;
  connectMs: number;
  readonly latencies: number[];
}

const clusterOf = ({ prefix }: Pick<Measured, 'prefix'>, index: number): string => `${prefix}-${index}`;

const usageOf = async (hub: Cluster, { program, user }: RunningServer) => ({
  cpu: await cpuSeconds(program.pid),
  requests: await requestsOf(hub, (asker) => asker === user),
});

/** One work for each server, changed again and again, in turns. */
async function measureEvents(hub: Cluster, measured: readonly Measured[]): Promise<void> {
  const works = hub.client.resource(manifestWorks);
  const bundles = formatDataType(dataTypes.manifestBundles);
  const change = async (each: Measured, index: number): Promise<number> => {
    const namespace = clusterOf(each, 0);
    const received = new Promise<void>((resolve) => {
      each.agents.onEvent((clusterName, { type }) => {
        if (clusterName === namespace && type.startsWith(bundles)) resolve();
      });
    });
    const data = { index: String(index) };
    const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' }, data };
    const spec = { workload: { manifests: [manifest] } };
    const begin = realClock.monotonic();
    if (index === 0) await works.create({ metadata: { name: 'w', namespace }, spec });
    else await works.patch(`${namespace}/w`, { type: 'merge', body: { spec } });
    await received;
    return realClock.monotonic() - begin;
  };
  for (const each of measured) {
    await hub.client.resource(namespaces).create({ metadata: { name: clusterOf(each, 0) } });
  }
  for (let index = 0; index <= changes; index += 1) {
    for (const each of measured) {
      const ms = await change(each, index);
      // The first one warms up.
      if (index > 0) each.latencies.push(ms);
    }
  }
}
