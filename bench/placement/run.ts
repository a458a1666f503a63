// `npm run bench:placement` in bench: our scheduler against that of Open Cluster Management, in one run on the same server, and
// ours alone with ten times as many clusters. Names of sections as arguments measure these alone.
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import type { Program } from '@flotilla/e2e';
import { startCluster } from '@flotilla/envtest';
import { realClock } from '@flotilla/kube';
import { cpuSeconds } from '../lib/cpu.ts';
import { rssMiB } from '../lib/memory.ts';
import { type Figure, median } from '../lib/report.ts';
import { runSections } from '../lib/run-sections.ts';
import { measureAtScale } from './at-scale.ts';
import { contestants } from './contestants.ts';
import { BenchFleet } from './fleet.ts';

const clusterCount = 1000;
const rounds = 3;
const crowd = 100;
const settleMs = 3000;

const predicateOf = (env: string) => ({
  predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { env } } } }],
});
/** As in the benchmark of OCM: ten clusters by what they have, and by what others decided. */
const ranked = {
  numberOfClusters: 10,
  prioritizerPolicy: {
    mode: 'Exact' as const,
    configurations: ['ResourceAllocatableCPU', 'ResourceAllocatableMemory', 'Balance'].map((builtIn) => ({
      scoreCoordinate: { type: 'BuiltIn' as const, builtIn },
      weight: 1,
    })),
  },
};

interface Measured {
  readonly one: number;
  readonly all: number;
  readonly many: number;
  readonly manyCpu: number;
  readonly label: number;
  readonly labelCpu: number;
  readonly mib: number;
}

async function withCpu(program: Program, run: () => Promise<number>): Promise<{ ms: number; cpu: number }> {
  const before = await cpuSeconds(program.pid);
  const ms = await run();
  // What goes on behind the last decision belongs to it.
  await realClock.sleep(settleMs);
  return { ms, cpu: (await cpuSeconds(program.pid)) - before };
}

/** One round with one scheduler; nothing of it is left for the next. */
async function measure(fleet: BenchFleet, program: Program): Promise<Measured> {
  await fleet.place({ first: {} });
  const one = await fleet.place({ one: { ...ranked, numberOfClusters: 1 } });
  const all = await fleet.place({ all: {} });
  const crowdSpecs = Object.fromEntries(Array.from({ length: crowd }, (_, index) => [`p${index}`, ranked]));
  const many = await withCpu(program, () => fleet.place(crowdSpecs));
  // One placement follows the label, and 102 others are there that do not.
  await fleet.place({ prod: predicateOf('prod') });
  const prod = clusterCount / 10;
  const label = await withCpu(program, () => fleet.relabel(1, 'prod', { prod: prod + 1 }));
  await fleet.relabel(1, 'dev', { prod });
  const mib = await rssMiB(program.pid);
  await fleet.clear();
  return { one, all, many: many.ms, manyCpu: many.cpu, label: label.ms, labelCpu: label.cpu, mib };
}

async function againstOcm(): Promise<Figure[]> {
  await using hub = await startCluster({ crds: customResourceDefinitions() });
  using fleet = new BenchFleet(hub.client);
  await fleet.create(clusterCount);
  const both = await contestants(hub);
  const measured: Record<'ours' | 'ocm', Measured[]> = { ours: [], ocm: [] };
  for (let round = 0; round < rounds; round++) {
    for (const who of ['ours', 'ocm'] as const) {
      await using program = await both[who].start();
      measured[who].push(await measure(fleet, program));
    }
  }
  const figure = (what: string, unit: string, limit: number | undefined, pick: (one: Measured) => number): Figure => ({
    what,
    unit,
    ours: median(measured.ours.map(pick)),
    peer: { name: 'OCM', value: median(measured.ocm.map(pick)) },
    ...(limit !== undefined && { limit }),
  });
  return [
    figure('one placement that takes one of 1,000 clusters', 'ms', 1, ({ one }) => one),
    figure('one placement that takes all 1,000', 'ms', 1, ({ all }) => all),
    figure(`${crowd} placements at once`, 'ms', 0.2, ({ many }) => many),
    figure('… CPU', 's', 0.5, ({ manyCpu }) => manyCpu),
    figure('label of a cluster to decision, with 102 other placements', 'ms', 0.1, ({ label }) => label),
    figure('… CPU', 's', 0.1, ({ labelCpu }) => labelCpu),
    figure('RSS', 'MiB', 1.2, ({ mib }) => mib),
  ];
}

const sections = [
  ['ocm', againstOcm],
  ['at-scale', measureAtScale],
] as const;
const wanted = process.argv.slice(2);
await runSections(sections.filter(([name]) => wanted.length === 0 || wanted.includes(name)));
