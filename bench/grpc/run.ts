// `npm run bench:grpc` in bench: our gRPC server and agents against those of Open Cluster Management, in one run.
// Names of sections as arguments measure these alone; each takes less than five minutes.
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { deploy, serveAddOnVersions } from '@flotilla/e2e';
import { startCluster } from '@flotilla/envtest';
import type { Figure } from '../lib/report.ts';
import { runSections } from '../lib/run-sections.ts';
import { startContest } from './contestants.ts';
import { measureJoins } from './join.ts';
import { measureServers, type ServerFigures } from './servers.ts';
import { workSections } from './works.ts';

await using versions = await serveAddOnVersions();
await using hub = await startCluster({ crds: versions.crds, audit: true });
await using managed = await startCluster({ crds: customResourceDefinitions() });
await using contest = await startContest(hub);
await deploy(managed, 'agent', ['namespace.yaml']);
const works = workSections(contest, { hub, managed });

const rows: readonly (readonly [string, string, (figures: ServerFigures) => number])[] = [
  ['connect all agents, four streams each', 's', ({ connectSeconds }) => connectSeconds],
  ['memory of the server', 'MiB', ({ rss }) => rss],
  ['CPU of the server while nothing happens', '% of a core', ({ idleCpu }) => idleCpu],
  [
    'requests of the server to the API server while nothing happens',
    'a minute',
    ({ requestsPerMinute }) => requestsPerMinute,
  ],
  ['work changed on the hub → event at its agent, p50', 'ms', ({ event }) => event.p50],
  ['the same, p99', 'ms', ({ event }) => event.p99],
];

async function race(agents: number): Promise<Figure[]> {
  const [ocm, ours] = await measureServers(contest, hub, ['OCM', 'ours'], agents);
  if (!ocm || !ours) throw new Error('both servers are measured');
  return rows.map(([what, unit, of]) => ({
    what: `${agents} agents: ${what}`,
    ours: of(ours),
    unit,
    // Nothing against nothing has no ratio.
    ...(of(ocm) > 0 && { peer: { name: 'OCM', value: of(ocm) }, limit: 1 }),
  }));
}

async function alone(agents: number): Promise<Figure[]> {
  const figures = await measureServers(contest, hub, ['ours'], agents);
  return figures.flatMap((ours) =>
    rows.map(([what, unit, of]) => ({ what: `${agents} agents: ${what}`, ours: of(ours), unit })),
  );
}

const sections = [
  ['join', () => measureJoins(contest, { hub, managed })],
  ['one-work', works.oneWork],
  ['feedback', works.feedback],
  ['many-works', works.manyWorks],
  ['300', () => race(300)],
  ['1000', () => alone(1000)],
] as const;
const wanted = process.argv.slice(2);
await runSections(sections.filter(([name]) => wanted.length === 0 || wanted.includes(name)));
