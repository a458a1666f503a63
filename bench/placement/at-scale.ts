import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ManagedCluster } from '@flotilla/api-types';
import { type Figure, median } from '../lib/report.ts';
import { expressions, tolerationsThatEnd } from './at-scale-time-and-cel.ts';
import { type Cost, clusterName, MemoryHub, newCluster } from './memory-hub.ts';

const clusterCount = 10_000;
const placementCount = 1000;
/** The targets are those of the specification; an upper limit is given as what ours is compared with. */
const target = (what: string, unit: string, ours: number, value: number): Figure => ({
  what,
  unit,
  ours,
  peer: { name: 'target', value },
  limit: 1,
});

function heapMiB(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 2 ** 20;
}

const decided = ({ placements }: MemoryHub) => placements.list().every(({ status }) => status?.conditions?.length);
const selecting = ({ placements }: MemoryHub, count: number) =>
  placements.list().filter(({ status }) => status?.numberOfSelectedClusters === count).length;

const byScore = {
  numberOfClusters: 10,
  prioritizerPolicy: {
    mode: 'Exact' as const,
    configurations: [
      { scoreCoordinate: { type: 'AddOn' as const, addOn: { resourceName: 'demo', scoreName: 'demo' } }, weight: 1 },
      ...['ResourceAllocatableCPU', 'Balance'].map((builtIn) => ({
        scoreCoordinate: { type: 'BuiltIn' as const, builtIn },
        weight: 1,
      })),
    ],
  },
};
const score = (index: number, value: number) => ({
  metadata: { namespace: clusterName(index), name: 'demo' },
  status: { scores: [{ name: 'demo', value }] },
});

/** 1,000 placements of ten clusters each, by scores. */
async function ranked(): Promise<Figure[]> {
  await using hub = new MemoryHub();
  for (let index = 0; index < clusterCount; index++) {
    hub.addCluster(index);
    hub.scores.put(score(index, 80));
  }
  for (let index = 0; index < placementCount; index++) hub.addPlacement(index, byScore);
  const before = heapMiB();
  const cold = await hub.cost(
    () => hub.start(),
    () => decided(hub),
  );
  const mib = heapMiB() - before;
  // As many a second as in a minute of 10,000, for 50 placements that read them.
  const { cpuMs: heartbeatMs, scheduled } = await hub.cost(
    () => {
      for (let index = 0; index < clusterCount; index++) hub.clusters.put(withCondition(newCluster(index, {})));
    },
    () => true,
  );
  return [
    target('start: 1,000 placements × 10,000 clusters, CPU', 'ms', cold.cpuMs, 1000),
    { what: '… memory of the scheduler', unit: 'MiB', ours: mib },
    target('heartbeats of 10,000 clusters in a minute, CPU', '% of a core', heartbeatMs / 600, 2),
    target('… placements scheduled again, and one', '', scheduled + 1, 1),
  ];
}

const withCondition = (cluster: ManagedCluster): ManagedCluster => ({
  ...cluster,
  status: {
    ...cluster.status,
    conditions: [
      { type: 'Ready', status: 'True', reason: 'r', message: 'm', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ],
  },
});

/** A hub runs for months: code that is compiled on its first runs is not measured. */
const coldFlips = 20;

/** Ten of 1,000 placements follow a label. */
async function labels(): Promise<Figure[]> {
  await using hub = new MemoryHub();
  for (let index = 0; index < clusterCount; index++) hub.addCluster(index, { env: index < 50 ? 'prod' : 'dev' });
  const byEnv = (env: string) => ({
    predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { env } } } }],
  });
  for (let index = 0; index < placementCount; index++)
    hub.addPlacement(index, byEnv(index < 10 ? 'prod' : `x${index}`));
  await hub.cost(
    () => hub.start(),
    () => decided(hub),
  );
  const flips: Cost[] = [];
  for (let flip = 0; flip < coldFlips + 41; flip++) {
    const isProd = flip % 2 === 0;
    flips.push(
      await hub.cost(
        () => hub.addCluster(99, { env: isProd ? 'prod' : 'dev' }),
        () => selecting(hub, isProd ? 51 : 50) === 10,
      ),
    );
  }
  const cpuMs = median(flips.slice(coldFlips).map((flip) => flip.cpuMs));
  return [
    target('one label that 10 of 1,000 placements read, CPU', 'ms', cpuMs, 5),
    target('… pages written', '', flips.at(-1)?.writes ?? 0, 10),
  ];
}

/** 50 placements by scores that all change within a minute. */
async function scores(): Promise<Figure[]> {
  await using hub = new MemoryHub();
  for (let index = 0; index < clusterCount; index++) {
    hub.addCluster(index);
    hub.scores.put(score(index, 80));
  }
  for (let index = 0; index < 50; index++) hub.addPlacement(index, byScore);
  await hub.cost(
    () => hub.start(),
    () => decided(hub),
  );
  const started = performance.now();
  let sent = 0;
  const { scheduled, elapsedMs } = await hub.cost(
    () => {},
    () => {
      const due = Math.min(2000, Math.floor((performance.now() - started) / 6));
      while (sent < due) hub.scores.put(score(sent, sent++ % 100));
      return sent === 2000;
    },
  );
  return [
    target(
      '10,000 scores a minute: times that one of 50 placements is scheduled a second',
      '',
      scheduled / 50 / (elapsedMs / 1000),
      11,
    ),
  ];
}

/** 1,000 placements that each take all clusters. */
async function everything(): Promise<Figure[]> {
  await using hub = new MemoryHub();
  for (let index = 1; index <= clusterCount; index++) hub.addCluster(index);
  for (let index = 0; index < placementCount; index++) hub.addPlacement(index, {});
  await hub.cost(
    () => hub.start({ stablePaging: true }),
    () => decided(hub),
  );
  // The first of all names: without stable paging each page of each placement would change.
  const added = await hub.cost(
    () => hub.addCluster(0),
    () => selecting(hub, clusterCount + 1) === placementCount,
  );
  return [
    target('one cluster more for 1,000 placements that take all 10,000: pages written', '', added.writes, 2000),
    { what: '… CPU', unit: 'ms', ours: added.cpuMs },
    { what: '… heap, with the 10 million decisions of the hub', unit: 'MiB', ours: heapMiB() },
  ];
}

/** The scheduler alone, on caches without a server, against what the specification asks for. */
export const measureAtScale = async (): Promise<Figure[]> => [
  ...(await ranked()),
  ...(await labels()),
  ...(await scores()),
  ...(await tolerationsThatEnd()),
  ...(await expressions()),
  ...(await everything()),
];
