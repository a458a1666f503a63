import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterProxyPath, type ManagedCluster, ManagedClusterCondition, managedClusters } from '@flotilla/api-types';
import { publishExternally } from '@flotilla/cluster-proxy/hub';
import { createKubeClient, findCondition, type KubeClient, staticAccess } from '@flotilla/kube';
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
  /** Serves the APIs of clusters to users of the hub. */
  startClusterProxy(): Promise<Program>;
  /** A client of a cluster through the hub, for a user whom the API server of the hub lets in; it ends with the world. */
  clientThroughHub(cluster: string, user: string): KubeClient;
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
  const hub = cleanup.use(await startBareServer(kind, 'hub', directory, { externalServices: true }));
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
    async startClusterProxy() {
      await deploy(hub, 'hub', ['cluster-proxy/rbac.yaml']);
      const config = await kubeconfigOf(hub, `${hubNamespace}/cluster-proxy-sa`, directory);
      const program = start(['cluster-proxy', `--kubeconfig=${config}`, '--bind-address=127.0.0.1', '--port=0']);
      const { address } = await program.said('serving the API by which clusters are reached');
      const port = Number(String(address).split(':')[1]);
      await publishExternally(hub.client, { namespace: hubNamespace, host: 'localhost', port });
      return program;
    },
    clientThroughHub(cluster, user) {
      const server = `${hub.access.server}${clusterProxyPath(cluster)}`;
      // The administrator of the hub acts as the user: the API server of the hub decides that.
      const access = { ...hub.access, server, impersonate: { user, groups: ['system:masters'] } };
      return running.adopt(createKubeClient({ access: staticAccess(access) }), (client) => client.close());
    },
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
