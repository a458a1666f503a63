import { manifestWorks } from '@flotilla/api-types';
import { dataTypes, formatDataType } from '@flotilla/cloudevents';
import type { Cluster } from '@flotilla/envtest';
import { realClock } from '@flotilla/kube';
import { namespaces } from '@flotilla/kube/kinds';
import { cpuSeconds } from '../lib/cpu.ts';
import { rssMiB } from '../lib/memory.ts';
import { median, percentile } from '../lib/report.ts';
import { requestsOf } from '../lib/requests.ts';
import { connectAgents, type IdleAgents } from './agents.ts';
import type { Contest, ContestantName } from './contestants.ts';

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

/** Measures one server with so many agents. */
export async function measureServer(
  contest: Contest,
  hub: Cluster,
  name: ContestantName,
  count: number,
): Promise<ServerFigures> {
  await using server = await contest.start(name);
  const { program, user } = server;
  const names = Array.from({ length: count }, (_, index) => `${name.toLowerCase()}-${count}-${index}`);
  const begin = realClock.monotonic();
  await using agents = await connectAgents(contest, server, names);
  const connectSeconds = (realClock.monotonic() - begin) / 1000;
  await realClock.sleep(5000);
  const asked = () => requestsOf(hub, (asker) => asker === user);
  const [cpuBefore, askedBefore] = [await cpuSeconds(program.pid), await asked()];
  await realClock.sleep(quietMs);
  const idleCpu = ((await cpuSeconds(program.pid)) - cpuBefore) / (quietMs / 1000) / 0.01;
  const requests = (await asked()) - askedBefore;
  const event = await measureEvents(hub, agents, names[0] ?? '');
  return {
    connectSeconds,
    rss: await rssMiB(program.pid),
    idleCpu,
    requestsPerMinute: requests / (quietMs / 60_000),
    event,
  };
}

/** One work, changed again and again. */
async function measureEvents(hub: Cluster, agents: IdleAgents, namespace: string) {
  const works = hub.client.resource(manifestWorks);
  await hub.client.resource(namespaces).create({ metadata: { name: namespace } });
  const bundles = formatDataType(dataTypes.manifestBundles);
  let arrived = () => {};
  agents.onEvent((clusterName, { type }) => {
    if (clusterName === namespace && type.startsWith(bundles)) arrived();
  });
  const latencies: number[] = [];
  for (let index = 0; index <= changes; index += 1) {
    const received = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const data = { index: String(index) };
    const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' }, data };
    const spec = { workload: { manifests: [manifest] } };
    const begin = realClock.monotonic();
    if (index === 0) await works.create({ metadata: { name: 'w', namespace }, spec });
    else await works.patch(`${namespace}/w`, { type: 'merge', body: { spec } });
    await received;
    // The first one warms up.
    if (index > 0) latencies.push(realClock.monotonic() - begin);
  }
  return { p50: median(latencies), p99: percentile(latencies, 0.99) };
}
