import { type Cluster, startCluster } from '@flotilla/envtest';
import { realClock } from '@flotilla/kube';
import { rssMiB } from '../lib/memory.ts';
import { type Figure, median } from '../lib/report.ts';
import { startEmbedded } from './embedded.ts';

const runs = 5;
const settleMs = 3000;

/** Start to ready, and memory when idle: the embedded process against kube-apiserver and etcd. */
export async function measureStart(): Promise<Figure[]> {
  const ours: { ms: number; mib: number }[] = [];
  const real: { ms: number; mib: number }[] = [];
  for (let run = 0; run < runs; run++) {
    await using embedded = await startEmbedded();
    await realClock.sleep(settleMs);
    ours.push({ ms: embedded.startMs, mib: await rssMiB(embedded.pid) });
    const began = performance.now();
    // Without the controller manager, whose work the embedded one does within the same time and memory; from nothing, as it does.
    await using cluster = await startCluster({ controllerManager: false, snapshot: false });
    const ms = performance.now() - began;
    await realClock.sleep(settleMs);
    real.push({ ms, mib: await memoryOf(cluster) });
  }
  const peer = (value: number) => ({ name: 'kube-apiserver + etcd', value });
  return [
    {
      what: 'start to ready',
      ours: median(ours.map(({ ms }) => ms)),
      unit: 'ms',
      peer: peer(median(real.map(({ ms }) => ms))),
      limit: 0.2,
    },
    {
      what: 'RSS when idle',
      ours: median(ours.map(({ mib }) => mib)),
      unit: 'MiB',
      peer: peer(median(real.map(({ mib }) => mib))),
      limit: 0.334,
    },
  ];
}

const memoryOf = async ({ apiServer, etcd }: Cluster): Promise<number> =>
  (await rssMiB(apiServer.pid ?? 0)) + (await rssMiB(etcd.pid ?? 0));
