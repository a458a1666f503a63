import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { managedClusters, NamespaceName } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startControlPlane } from '@flotilla/control-plane';
import { isConditionTrue, type KubeClient, realClock } from '@flotilla/kube';
import { namespaces } from '@flotilla/kube/kinds';
import { rssMiB } from '../lib/memory.ts';
import type { Figure } from '../lib/report.ts';
import { type App, figureOf, inTurns } from './builds.ts';

/** The servers that a program runs with, in this process: new ones for each start. */
interface Servers {
  readonly hub: KubeClient;
  readonly hubKubeconfig: string;
  readonly managedKubeconfig: string;
  readonly directory: string;
}

/** A program, how it is started, and when it works. */
export interface MeasuredProgram {
  readonly name: string;
  readonly app: App;
  args(servers: Servers): readonly string[];
  whenReady(servers: Servers, child: ChildProcess, signal: AbortSignal): Promise<void>;
}

const settleMs = 2000;
const timeoutMs = 30_000;
const clusterName = 'measured';

const agentFlags = ({ hubKubeconfig, managedKubeconfig, directory }: Servers) => [
  `--spoke-cluster-name=${clusterName}`,
  `--kubeconfig=${managedKubeconfig}`,
  `--namespace=${NamespaceName.Agent}`,
  `--bootstrap-kubeconfig=${hubKubeconfig}`,
  `--hub-kubeconfig-dir=${join(directory, 'identity')}`,
  ...local,
];
const local = ['--disable-leader-election', '--listen=127.0.0.1:0'];

export const programs: readonly MeasuredProgram[] = [
  {
    name: 'flotilla-hub',
    app: 'hub',
    args: ({ hubKubeconfig }) => ['controller', `--kubeconfig=${hubKubeconfig}`, ...local],
    async whenReady({ hub }, _, signal) {
      await hub.resource(managedClusters).create({
        metadata: { name: clusterName },
        spec: { hubAcceptsClient: true },
      });
      await whenCluster(hub, signal, 'HubAcceptedManagedCluster');
    },
  },
  {
    name: 'flotilla-agent',
    app: 'agent',
    args: (servers) => ['registration', ...agentFlags(servers)],
    whenReady: ({ hub }, _, signal) => whenCluster(hub, signal),
  },
  {
    name: 'flotilla-singleton',
    app: 'singleton',
    args: agentFlags,
    whenReady: ({ hub }, _, signal) => whenCluster(hub, signal),
  },
  {
    name: 'flotilla up',
    app: 'cli',
    args: () => ['up', '--clusters', '1'],
    async whenReady(_, { stdout }) {
      if (!stdout) throw new Error('flotilla up has no output');
      // What follows is a demonstration, which later revisions have more of.
      for await (const line of createInterface({ input: stdout })) if (line.includes('cluster1 is Available')) return;
      throw new Error('flotilla up ended before it was ready');
    },
  },
];

/** From its start until it works, and its memory a moment later. */
export async function measureProgram(program: MeasuredProgram, peer: string | undefined): Promise<Figure[]> {
  const { ours, theirs } = await inTurns(program.app, peer, (file) => startOnce(program, file));
  const of = (pick: (start: Start) => number) => ({ ours: ours.map(pick), theirs: theirs.map(pick) });
  return [
    figureOf(
      `${program.name}: start until it works`,
      'ms',
      peer,
      of(({ ms }) => ms),
    ),
    figureOf(
      `${program.name}: RSS when idle`,
      'MiB',
      peer,
      of(({ mib }) => mib),
    ),
  ];
}

interface Start {
  readonly ms: number;
  readonly mib: number;
}

async function startOnce(program: MeasuredProgram, file: string): Promise<Start> {
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-bench-'));
  await using hub = await startServer(join(directory, 'hub.yaml'));
  await using managed = await startServer(join(directory, 'managed.yaml'));
  await managed.client.resource(namespaces).create({ metadata: { name: NamespaceName.Agent } });
  const servers: Servers = {
    hub: hub.client,
    hubKubeconfig: join(directory, 'hub.yaml'),
    managedKubeconfig: join(directory, 'managed.yaml'),
    directory,
  };
  const began = performance.now();
  const child = spawn(process.execPath, [file, ...program.args(servers)], {
    env: { PATH: process.env.PATH, HOME: directory, TMPDIR: directory },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  const end = new AbortController();
  try {
    const isLate = realClock.sleep(timeoutMs, end.signal).then(() => `not ready after ${timeoutMs} ms`);
    const hasEnded = exited.then(([code]) => `ended with ${code}`);
    const failure = await Promise.race([program.whenReady(servers, child, end.signal), isLate, hasEnded]);
    if (failure !== undefined) throw new Error(`${file}: ${failure}`);
    const ms = performance.now() - began;
    await realClock.sleep(settleMs);
    return { ms, mib: await rssMiB(child.pid ?? 0) };
  } finally {
    end.abort();
    child.kill('SIGKILL');
    await exited;
    await rm(directory, { recursive: true, force: true });
  }
}

const startServer = (kubeconfigPath: string) =>
  startControlPlane({ crds: customResourceDefinitions(), kubeconfigPath });

/** Resolves when the cluster is there, with a condition if one is named. */
async function whenCluster(hub: KubeClient, signal: AbortSignal, condition?: string): Promise<void> {
  const watch = hub.resource(managedClusters).watch({ resourceVersion: '0', signal });
  for await (const event of watch) {
    if (event.type === 'BOOKMARK') continue;
    if (condition === undefined || isConditionTrue(event.object.status?.conditions, condition)) return;
  }
}
