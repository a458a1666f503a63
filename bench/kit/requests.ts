import type { ClientHttp2Session } from 'node:http2';
import type { ClusterAccess, KubeClient } from '@flotilla/kube';
import { configMaps } from '@flotilla/kube/kinds';
import { type Figure, median } from '../lib/report.ts';
import { connectBare, getBare } from './bare-http2.ts';

const rounds = 9;
const requestsPerRound = 3000;
const concurrency = 16;

interface Cost {
  readonly cpuMicros: number;
  readonly perSecond: number;
}

/** Runs the calls with a fixed number under way, and returns what one cost. */
async function measure(call: () => Promise<unknown>): Promise<Cost> {
  const cpu = process.cpuUsage();
  const start = process.hrtime.bigint();
  let left = requestsPerRound;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  const { user, system } = process.cpuUsage(cpu);
  return { cpuMicros: (user + system) / requestsPerRound, perSecond: requestsPerRound / seconds };
}

/** GETs of one ConfigMap by the kit and by a bare loop, in turns, so that whatever else the machine does hits both. */
export async function measureRequests(client: KubeClient, access: ClusterAccess): Promise<Figure[]> {
  const handle = client.resource(configMaps);
  await handle.create({ metadata: { namespace: 'default', name: 'bench' }, data: { key: 'value' } });
  const session: ClientHttp2Session = await connectBare(access);
  const bare = () => getBare(session, '/api/v1/namespaces/default/configmaps/bench');
  const kit = () => handle.get('default/bench');
  await measure(bare);
  await measure(kit);
  const costs: { bare: Cost; kit: Cost }[] = [];
  for (let round = 0; round < rounds; round++) costs.push({ bare: await measure(bare), kit: await measure(kit) });
  session.close();
  const peer = (value: number) => ({ name: 'bare node:http2', value });
  const middle = (pick: (cost: { bare: Cost; kit: Cost }) => number) => median(costs.map(pick));
  return [
    {
      what: 'client CPU a request',
      ours: middle((cost) => cost.kit.cpuMicros),
      unit: 'µs',
      peer: peer(middle((cost) => cost.bare.cpuMicros)),
      limit: 1.3,
    },
    {
      what: `requests a second, ${concurrency} at once`,
      ours: middle((cost) => cost.kit.perSecond),
      unit: '/s',
      peer: peer(middle((cost) => cost.bare.perSecond)),
    },
  ];
}
