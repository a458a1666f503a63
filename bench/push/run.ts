// `npm run bench:push` in bench: one process that runs the agents of many pushed clusters, against an agent on each cluster.
// The first argument is the number of pushed clusters, the second that of agents: each is a process, and 200 of them want 16 GiB of memory.
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import {
  bootstrapAccount,
  deploy,
  type Fleet,
  kubeconfigOf,
  type Program,
  pushMember,
  startCrowd,
  startFleet,
  startProgram,
} from '@flotilla/e2e';
import { type Cluster, startCluster } from '@flotilla/envtest';
import { realClock } from '@flotilla/kube';
import { temporaryDirectory } from '@flotilla/kube/testing';
import { cpuSeconds } from '../lib/cpu.ts';
import { rssMiB } from '../lib/memory.ts';
import { type Figure, median } from '../lib/report.ts';
import { requestsOf } from '../lib/requests.ts';
import { runSections } from '../lib/run-sections.ts';
import { allAvailable, workToAll } from './members.ts';

const [pushed = 200, pulled = 200] = process.argv.slice(2).map(Number);
/** Long enough for two heartbeats. */
const idleMs = 120_000;
const rounds = 5;

/** What a member costs. */
interface Cost {
  readonly availableSeconds: number;
  readonly mib: number;
  /** Percent of a core while nothing happens. */
  readonly idleCpu: number;
  readonly requestsPerMinute: number;
  readonly workSeconds: number;
  readonly workCpuMs: number;
}

/** A hub that accepts whoever asks. */
async function startHub(): Promise<{ hub: Cluster; fleet: Fleet }> {
  const hub = await startCluster({ crds: customResourceDefinitions(), audit: true });
  const fleet = await startFleet(hub);
  await deploy(hub, 'hub', ['push/rbac.yaml']);
  const user = `system:serviceaccount:${bootstrapAccount.replace('/', ':')}`;
  const program = fleet.startHub([
    '--feature-gates=ManagedClusterAutoApproval=true',
    `--auto-approved-csr-users=${user}`,
  ]);
  await program.said('serving health and metrics');
  return { hub, fleet };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Measures programs that serve these clusters, a member each. */
async function measure(
  hub: Cluster,
  names: readonly string[],
  isUser: (name: string) => boolean,
  start: () => Promise<readonly Program[]>,
): Promise<Cost> {
  const programs = await start();
  const availableSeconds = await allAvailable(hub.client, names);
  const cpu = async () => sum(await Promise.all(programs.map(({ pid }) => cpuSeconds(pid))));
  await realClock.sleep(5000);
  const [cpuBefore, requestsBefore] = [await cpu(), await requestsOf(hub, isUser)];
  await realClock.sleep(idleMs);
  const idleCpu = ((await cpu()) - cpuBefore) / (idleMs / 1000);
  const requests = (await requestsOf(hub, isUser)) - requestsBefore;
  const seconds: number[] = [];
  const cpuOfWorks = await cpu();
  for (let round = 0; round < rounds; round++) seconds.push(await workToAll(hub.client, names, round));
  const workCpu = (await cpu()) - cpuOfWorks;
  const mib = sum(await Promise.all(programs.map(({ pid }) => rssMiB(pid))));
  return {
    availableSeconds,
    mib: mib / names.length,
    idleCpu: (idleCpu * 100) / names.length,
    requestsPerMinute: (requests * (60_000 / idleMs)) / names.length,
    workSeconds: median(seconds),
    workCpuMs: (workCpu * 1000) / rounds / names.length,
  };
}

async function measurePush(): Promise<Cost> {
  const { hub, fleet } = await startHub();
  await using _fleet = fleet;
  await using directory = await temporaryDirectory();
  await using crowd = await startCrowd(pushed);
  for (const name of crowd.names) await pushMember(hub, name, crowd.plane(name));
  const kubeconfig = await kubeconfigOf(hub, 'open-cluster-management-hub/push-agents-sa', directory.path);
  let program: Program | undefined;
  try {
    const isUser = (name: string) => name.endsWith(':push-agents-sa');
    return await measure(hub, crowd.names, isUser, async () => {
      program = startProgram('hub', ['push-agents', `--kubeconfig=${kubeconfig}`, '--single-replica']);
      return [program];
    });
  } finally {
    await program?.end('SIGKILL');
  }
}

async function measurePull(): Promise<Cost> {
  const { hub, fleet } = await startHub();
  await using _fleet = fleet;
  await using crowd = await startCrowd(pulled);
  const agents: (() => Program)[] = [];
  for (const name of crowd.names) {
    const plane = crowd.plane(name);
    await deploy(plane, 'singleton', ['work-payloads.yaml']);
    const cluster = await fleet.newCluster(plane);
    agents.push(() => cluster.startAgent(name, { app: 'singleton' }));
  }
  const isUser = (name: string) => /^system:open-cluster-management:crowd-\d+:/.test(name);
  return await measure(hub, crowd.names, isUser, async () => agents.map((start) => start()));
}

const rows: readonly (readonly [string, string, keyof Cost])[] = [
  ['memory a member', 'MiB', 'mib'],
  ['CPU a member while nothing happens', '% of a core', 'idleCpu'],
  ['requests to the hub a member while nothing happens', 'a minute', 'requestsPerMinute'],
  ['CPU a member for one work', 'ms', 'workCpuMs'],
];

async function compare(): Promise<Figure[]> {
  const push = await measurePush();
  console.error(`${pushed} pushed: ${JSON.stringify(push)}`);
  const pull = await measurePull();
  console.error(`${pulled} pulled: ${JSON.stringify(pull)}`);
  return [
    ...rows.map(([what, unit, key]) => ({
      what: `${what}, ${pushed} pushed in one process`,
      ours: push[key],
      unit,
      peer: { name: `an agent each, ${pulled} of them`, value: pull[key] },
      ...(key === 'mib' && { limit: 0.2 }),
    })),
    {
      what: `one work on all ${pushed} pushed, first create until the last is reported applied`,
      unit: 's',
      ours: push.workSeconds,
      peer: { name: `an agent each, ${pulled} of them`, value: pull.workSeconds },
    },
    {
      what: `start until all ${pushed} pushed are Available`,
      unit: 's',
      ours: push.availableSeconds,
      peer: { name: `an agent each, ${pulled} of them`, value: pull.availableSeconds },
    },
  ];
}

await runSections([['push', compare]]);
