import { startCluster } from '@flotilla/envtest';
import { createKubeClient, type KubeClient, kubeconfigAccess, realClock } from '@flotilla/kube';
import { configMaps } from '@flotilla/kube/kinds';
import { type Figure, median } from '../lib/report.ts';
import { startEmbedded } from './embedded.ts';

const objects = 2000;
const concurrency = 16;
const rounds = 3;

interface Rates {
  readonly creates: number;
  readonly reads: number;
  readonly lists: number;
}

/** Creates and reads a second, by the same client, in turns against the embedded control plane on SQLite and the real one. */
export async function measureThroughput(): Promise<Figure[]> {
  await using embedded = await startEmbedded();
  await using cluster = await startCluster({ controllerManager: false });
  const ours = clientOf(embedded.kubeconfigPath);
  const real = clientOf(cluster.kubeconfigPath);
  const rates: { ours: Rates; real: Rates }[] = [];
  await measure(ours, 'warm');
  await measure(real, 'warm');
  for (let round = 0; round < rounds; round++) {
    rates.push({ ours: await measure(ours, `r${round}`), real: await measure(real, `r${round}`) });
  }
  await Promise.all([ours.close(), real.close()]);
  const figure = (what: string, pick: (rates: Rates) => number): Figure => ({
    what,
    ours: median(rates.map((both) => pick(both.ours))),
    unit: '/s',
    peer: { name: 'kube-apiserver + etcd', value: median(rates.map((both) => pick(both.real))) },
    floor: 1,
  });
  return [
    figure('creates a second', ({ creates }) => creates),
    figure('reads a second', ({ reads }) => reads),
    figure(`lists of ${objects} a second`, ({ lists }) => lists),
  ];
}

const clientOf = (kubeconfigPath: string): KubeClient =>
  createKubeClient({ access: kubeconfigAccess({ files: kubeconfigPath, clock: realClock }) });

async function measure(client: KubeClient, prefix: string): Promise<Rates> {
  const maps = client.resource(configMaps);
  const name = (index: number) => `${prefix}-${index}`;
  const creates = await rate(objects, (index) =>
    maps.create({
      metadata: { namespace: 'default', name: name(index), labels: { prefix } },
      data: { index: String(index) },
    }),
  );
  const reads = await rate(objects, (index) => maps.get(`default/${name(index)}`));
  const lists = await rate(8, () =>
    maps.list({ namespace: 'default', labelSelector: `prefix=${prefix}`, pageSize: 0 }),
  );
  return { creates, reads, lists };
}

async function rate(count: number, call: (index: number) => Promise<unknown>): Promise<number> {
  let next = 0;
  const began = performance.now();
  const worker = async (): Promise<void> => {
    while (next < count) await call(next++);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, count) }, worker));
  return (count / (performance.now() - began)) * 1000;
}
