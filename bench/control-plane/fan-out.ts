import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { realClock } from '@flotilla/kube';
import { configMaps } from '@flotilla/kube/kinds';
import { type Figure, percentile } from '../lib/report.ts';

const watchers = 1000;
const planes = 50;

/** What is really held: resident memory would hide behind what earlier measurements left free. */
const usedMiB = async (): Promise<number> => {
  // What finalizers release is free only in a later turn.
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await realClock.sleep(200);
  }
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1024 / 1024;
};

/** A thousand watches of one kind: from a write until the last of them received it, and what each costs. */
export async function measureWatchers(): Promise<Figure[]> {
  await using plane = await startControlPlane();
  const maps = plane.client.resource(configMaps);
  await maps.create({ metadata: { namespace: 'default', name: 'watched' } });
  const before = await usedMiB();
  const stop = new AbortController();
  let received = 0;
  const follow = async (): Promise<void> => {
    for await (const event of maps.watch({ namespace: 'default', signal: stop.signal, resourceVersion: '0' })) {
      if (event.type === 'MODIFIED') received++;
    }
  };
  const following = Array.from({ length: watchers }, () => follow().catch(() => undefined));
  const after = await usedMiB();
  const times: number[] = [];
  for (let write = 0; write < 20; write++) {
    received = 0;
    const began = performance.now();
    await maps.patch('default/watched', { type: 'merge', body: { data: { write: String(write) } } });
    while (received < watchers) await realClock.sleep(0);
    times.push(performance.now() - began);
  }
  stop.abort();
  await Promise.all(following);
  return [
    { what: `write until the last of ${watchers} watchers received it, p50`, ours: percentile(times, 0.5), unit: 'ms' },
    { what: 'memory of one watcher', ours: ((after - before) * 1024) / watchers, unit: 'KiB' },
  ];
}

/** Fifty control planes in one process, as a fleet in a unit test has them. */
export async function measurePlanes(): Promise<Figure[]> {
  const before = await usedMiB();
  const began = performance.now();
  const running: ControlPlane[] = [];
  for (let index = 0; index < planes; index++) running.push(await startControlPlane({ listen: false }));
  const ms = performance.now() - began;
  const after = await usedMiB();
  await Promise.all(running.map((plane) => plane.stop()));
  return [
    { what: `start of one of ${planes} control planes in one process`, ours: ms / planes, unit: 'ms' },
    { what: `memory of one of ${planes} control planes in one process`, ours: (after - before) / planes, unit: 'MiB' },
  ];
}
