// `npm run bench:work` in bench: our work agent against that of Open Cluster Management, in one run on the same servers.
// Names of sections as arguments measure these alone.
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import type { Program } from '@flotilla/e2e';
import { startCluster } from '@flotilla/envtest';
import { realClock } from '@flotilla/kube';
import { type Figure, median, percentile } from '../lib/report.ts';
import { requestsOf } from '../lib/requests.ts';
import { runSections } from '../lib/run-sections.ts';
import { type Contestant, prepare } from './contestants.ts';
import { measureFeedback } from './feedback.ts';
import { configMap } from './manifests.ts';
import { bulk, type IdleWorks, measureIdleWorks, measureManyWorks } from './many-works.ts';
import { measureNewKind } from './new-kind.ts';
import { measureOneWork, type OneWork } from './one-work.ts';
import { measureRequests } from './requests-per-work.ts';
import { type Works, worksOf } from './works.ts';

/** An API server that has just started compiles schemas and collects garbage more often, which the first agent would pay for. */
const serverWarmUpMs = 20_000;
const settleMs = 5_000;
/** An agent that starts compares all that was applied. */
const restartMs = 30_000;

const crds = customResourceDefinitions();
await using hub = await startCluster({ crds, audit: true });
await using managed = await startCluster({ crds, audit: true });
const contestants = { ours: await prepare('ours', hub, managed), ocm: await prepare('OCM', hub, managed) };
await realClock.sleep(serverWarmUpMs);

interface Running {
  readonly clusterName: string;
  readonly agent: Program;
  readonly works: Works;
  /** Requests of the agent to both servers so far. */
  requests(): Promise<number>;
}

let starts = 0;

/** Measures an agent that has applied a first work. Works that are left are there when it starts again. */
async function withAgent<T>(contestant: Contestant, measure: (running: Running) => Promise<T>): Promise<T> {
  const { name, clusterName, user } = contestant;
  console.error(`  ${name}`);
  await using agent = await contestant.start();
  using works = await worksOf(hub.client, clusterName);
  const isAgent = (each: string) => each === user;
  const requests = async () => (await requestsOf(hub, isAgent)) + (await requestsOf(managed, isAgent));
  const first = `first-${starts++}`;
  await works.applied(await works.create(first, [configMap(`${clusterName}-${first}`, '')]));
  const result = await measure({ clusterName, agent, works, requests });
  await agent.end();
  await realClock.sleep(settleMs);
  return result;
}

interface Pair<T> {
  readonly ours: T;
  readonly ocm: T;
}

/** Both, one after the other. */
const each = async <T>(measure: (running: Running) => Promise<T>): Promise<Pair<T>> => ({
  ours: await withAgent(contestants.ours, measure),
  ocm: await withAgent(contestants.ocm, measure),
});

/** Both, and nothing of them is left for the next section. */
const both = <T>(measure: (running: Running) => Promise<T>): Promise<Pair<T>> =>
  each(async (running) => {
    const result = await measure(running);
    await running.works.deleteAll();
    return result;
  });

const figures =
  <T>(runs: Pair<T>) =>
  (what: string, unit: string, limit: number | undefined, pick: (run: T) => number): Figure => ({
    what,
    unit,
    ours: pick(runs.ours),
    peer: { name: 'OCM', value: pick(runs.ocm) },
    ...(limit !== undefined && { limit }),
  });

/** In turns, twice, so that neither has the fresher servers. */
async function oneWork(): Promise<Figure[]> {
  const rounds: Pair<OneWork>[] = [];
  for (const round of [0, 1]) rounds.push(await both(({ works }) => measureOneWork(works, round)));
  const all = (who: keyof Pair<OneWork>): OneWork => ({
    creates: rounds.flatMap((each) => each[who].creates),
    updates: rounds.flatMap((each) => each[who].updates),
  });
  const figure = figures({ ours: all('ours'), ocm: all('ocm') });
  return [
    figure('create to Applied and Available, p50', 'ms', 0.5, ({ creates }) => median(creates)),
    figure('create to Applied and Available, p99', 'ms', 0.6, ({ creates }) => percentile(creates, 0.99)),
    figure('update to Applied and Available, p50', 'ms', 0.6, ({ updates }) => median(updates)),
    figure('update to Applied and Available, p99', 'ms', 0.6, ({ updates }) => percentile(updates, 0.99)),
  ];
}

async function requestsPerWork(): Promise<Figure[]> {
  const runs = await both(({ works, clusterName, requests }) => measureRequests(works, clusterName, requests));
  const figure = figures(runs);
  return [
    figure('requests to create a work of 5 manifests', '', 0.5, ({ create }) => create),
    figure('requests to change one of 5 manifests', '', 0.5, ({ update }) => update),
  ];
}

async function newKind(): Promise<Figure[]> {
  const figure = figures(await both(({ works, clusterName }) => measureNewKind(works, managed, clusterName)));
  return [
    figure('a kind whose definition is in the same work', 'ms', undefined, ({ together }) => median(together)),
    figure('a kind whose definition comes 5 s later', 'ms', 0.1, ({ later }) => median(later)),
  ];
}

async function feedback(): Promise<Figure[]> {
  const figure = figures(await both(({ works, clusterName }) => measureFeedback(works, managed, clusterName)));
  return [
    figure('status change to feedback on the hub, p50', 'ms', 0.02, (times) => median(times)),
    figure('status change to feedback on the hub, max', 'ms', 0.02, (times) => percentile(times, 1)),
  ];
}

/** The works stay, because it takes minutes to delete them. */
async function manyWorks(): Promise<Figure[]> {
  const runs = await each(({ works, agent, clusterName }) => measureManyWorks(works, agent, clusterName));
  const figure = figures(runs);
  return [
    figure(`${bulk.works} works × ${bulk.manifests} manifests`, 's', 0.1, ({ seconds }) => seconds),
    figure('… CPU of the agent', 's', 0.5, ({ cpu }) => cpu),
    figure('RSS with these works', 'MiB', 0.9, ({ mib }) => mib),
  ];
}

async function idleWorks(): Promise<Figure[]> {
  const runs = await both(async ({ works, agent, clusterName, requests }): Promise<IdleWorks> => {
    if (works.size < bulk.works) await measureManyWorks(works, agent, clusterName);
    else await realClock.sleep(restartMs);
    return measureIdleWorks(works, agent, requests);
  });
  const figure = figures(runs);
  return [
    figure('idle CPU with these works', '% of a core', 0.1, ({ cpu }) => cpu * 100),
    figure('idle: requests an hour for each work', '', 0.1, ({ requests }) => requests),
    figure('delete these works', 's', 0.1, ({ deleteSeconds }) => deleteSeconds),
  ];
}

const sections = [
  ['one-work', oneWork],
  ['requests', requestsPerWork],
  ['new-kind', newKind],
  ['feedback', feedback],
  ['many-works', manyWorks],
  ['idle-works', idleWorks],
] as const;
const wanted = process.argv.slice(2);
await runSections(sections.filter(([name]) => wanted.length === 0 || wanted.includes(name)));
