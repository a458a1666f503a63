import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ManagedCluster, ManagedClusterCondition, managedClusters } from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';
import { expect } from 'vitest';
import { type BareServer, startBareServer } from '../cli/bare-server.ts';
import { openShell, type Shell, type ShellResult } from '../cli/shell.ts';
import { type Program, startProgram, tail } from '../registration/program.ts';
import { deploy, kubeconfigOf, type ServerKind } from '../registration/servers.ts';

export const pollOptions = { timeout: 60_000, interval: 100 };

/** A hub that runs the agents of pushed clusters, with the rights of their manifests and no more. */
export interface PushWorld extends AsyncDisposable {
  readonly hub: BareServer;
  readonly directory: string;
  readonly shell: Shell;
  /** Runs the command line as an administrator of the hub. */
  flotilla(line: string): Promise<ShellResult>;
  startMember(name: string, kind?: ServerKind): Promise<BareServer>;
  startPushAgents(flags?: readonly string[]): Program;
  /** The status of a condition. */
  condition(cluster: string, type: string): Promise<string | undefined>;
  whenAvailable(cluster: string, status?: string): Promise<void>;
  cluster(name: string): Promise<ManagedCluster>;
  logs(): string;
}

const hubNamespace = 'open-cluster-management-hub';

/** Starts one on servers of this kind. */
export async function startPushWorld(kind: ServerKind): Promise<PushWorld> {
  await using cleanup = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-push-'));
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  const shell = await openShell(directory);
  const hub = cleanup.use(await startBareServer(kind, 'hub', directory));
  const flotilla = (line: string) => shell.run(`flotilla ${line} --kubeconfig ${hub.kubeconfig}`);
  // Without its operator: the programs run here, with the rights of their manifests.
  const init = await flotilla('init --operator=false');
  expect(init, init.err).toMatchObject({ code: 0 });
  await deploy(hub, 'hub', ['push/rbac.yaml']);
  const controllerConfig = await kubeconfigOf(hub, `${hubNamespace}/registration-controller-sa`, directory);
  const agentsConfig = await kubeconfigOf(hub, `${hubNamespace}/push-agents-sa`, directory);
  const programs: Program[] = [];
  cleanup.defer(async () => {
    await Promise.all(programs.map((program) => program.end('SIGKILL')));
  });
  const start = (args: readonly string[]): Program => {
    const program = startProgram('hub', args);
    programs.push(program);
    return program;
  };
  const gates = '--feature-gates=ManifestWorkReplicaSet=true';
  const namespace = `--namespace=${hubNamespace}`;
  start(['controller', `--kubeconfig=${controllerConfig}`, namespace, '--disable-leader-election', gates]);
  const clusters = hub.client.resource(managedClusters);
  const condition = async (cluster: string, type: string) =>
    findCondition((await clusters.find(cluster))?.status?.conditions, type)?.status;
  const running = cleanup.move();
  return {
    hub,
    directory,
    shell,
    flotilla,
    async startMember(name, memberKind = kind) {
      return running.use(await startBareServer(memberKind, name, directory));
    },
    startPushAgents: (flags = []) => start(['push-agents', `--kubeconfig=${agentsConfig}`, namespace, ...flags]),
    condition,
    whenAvailable: (cluster, status = 'True') =>
      expect.poll(() => condition(cluster, ManagedClusterCondition.Available), pollOptions).toBe(status),
    cluster: (name) => clusters.get(name),
    logs: () => programs.map(tail).join('\n\n'),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Uses a world, and shows what its programs said if that fails. */
export async function inPushWorld(kind: ServerKind, use: (world: PushWorld) => Promise<void>): Promise<void> {
  await using world = await startPushWorld(kind);
  try {
    await use(world);
  } catch (error) {
    console.error(world.logs());
    throw error;
  }
}
