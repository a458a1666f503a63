import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@flotilla/envtest';
import { configMaps } from '@flotilla/kube/kinds';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { stringify } from 'yaml';
import { type Cluster, type Fleet, startFleet } from '../registration/fleet.ts';
import { type Program, startProgram, tail } from '../registration/program.ts';
import { deploy, kubeconfigOf, type Server } from '../registration/servers.ts';

/** A hub whose clusters may join by its gRPC server. */
export interface GrpcFleet extends Fleet {
  /** Where agents reach the gRPC server, as their configuration names it. */
  readonly url: string;
  /** The controllers of a hub that clusters may join both ways. */
  startGrpcHub(flags?: readonly string[]): Program;
  /** Starts the gRPC server, or starts it again at the same address; resolves when it listens. */
  startGrpcServer(): Promise<Program>;
  newGrpcCluster(server?: Server): Promise<GrpcCluster>;
}

/** A cluster that knows the gRPC server only. */
export interface GrpcCluster extends Cluster {
  /** The directory in which its agents leave their identity. */
  readonly home: string;
  /** Lets its agents find the gRPC server elsewhere, or with another token. */
  setConfig(config: { url?: string; token?: string; ca?: string }): Promise<void>;
  /** How often somebody has connected to what its bootstrap kubeconfig says is the API server of the hub. */
  apiServerConnections(): number;
  startGrpcAgent(name: string, options?: GrpcAgentOptions): Program;
  /** The work agent as a process of its own, with the identity that the registration agent leaves in files. */
  startGrpcWorkAgent(name: string): Program;
}

/** How an agent is started. */
export interface GrpcAgentOptions {
  readonly app?: 'agent' | 'singleton';
  readonly flags?: readonly string[];
}

const hubNamespace = 'open-cluster-management-hub';
const agentNamespace = 'open-cluster-management-agent';
/** A machine that is busy elsewhere must not cost a lone process its leadership. */
const alone = '--disable-leader-election';
const accounts = { agent: 'klusterlet-registration-sa', singleton: 'klusterlet-work-sa' } as const;

/** Prepares a server as the hub of a fleet, which ends with it; starts no programs. */
export async function startGrpcFleet(hub: Server): Promise<GrpcFleet> {
  await using cleanup = new AsyncDisposableStack();
  const fleet = cleanup.use(await startFleet(hub));
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-grpc-'));
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  await deploy(hub, 'hub', ['grpc/grpc-server-rbac.yaml']);
  const serverKubeconfig = await kubeconfigOf(hub, `${hubNamespace}/grpc-server-sa`, directory);
  const port = await findFreePort();
  const url = `localhost:${port}`;
  const serverConfig = join(directory, 'server.yaml');
  await writeFile(serverConfig, stringify({ server_bind_port: String(port) }));
  const programs: Program[] = [];
  cleanup.defer(async () => {
    await Promise.all(programs.map((program) => program.end('SIGKILL')));
  });
  const start = (app: string, args: readonly string[]): Program => {
    const program = startProgram(app, args);
    programs.push(program);
    return program;
  };
  const readBundle = async () => {
    const { data } = await fleet.admin.seen.until(
      configMaps,
      'the CA bundle of gRPC',
      ({ metadata }) => metadata?.name === 'ca-bundle-configmap',
    );
    return data?.['ca-bundle.crt'] ?? '';
  };

  const newGrpcCluster = async (server?: Server): Promise<GrpcCluster> => {
    const cluster = await fleet.newCluster(server);
    await deploy(cluster.server, 'agent', ['work-payloads.yaml']);
    const home = await mkdtemp(join(directory, 'cluster-'));
    const configFile = join(home, 'bootstrap.yaml');
    const setConfig: GrpcCluster['setConfig'] = async (changes) => {
      const token = fleet.bootstrap.authorization?.replace('Bearer ', '');
      const { ca = await readBundle(), ...others } = changes;
      await writeFile(configFile, stringify({ url, caData: btoa(ca), token, ...others }), { mode: 0o600 });
    };
    await setConfig({});
    const trap = running.use(await startTrap());
    // The agent knows an address of the API server, and has no business there.
    const bootstrapKubeconfig = join(home, 'bootstrap-kubeconfig.yaml');
    await writeKubeconfig(bootstrapKubeconfig, kubeconfigFor({ ...fleet.bootstrap, server: trap.url }));
    const kubeconfigs = {
      agent: await kubeconfigOf(cluster.server, `${agentNamespace}/${accounts.agent}`, home),
      singleton: await kubeconfigOf(cluster.server, `${agentNamespace}/${accounts.singleton}`, home),
    };
    const identity = join(home, 'hub-kubeconfig');
    return {
      ...cluster,
      home,
      setConfig,
      apiServerConnections: trap.connections,
      startGrpcAgent: (name, { app = 'agent', flags = [] } = {}) =>
        start(app, [
          ...(app === 'agent' ? ['registration'] : ['--workload-source-driver=grpc']),
          `--spoke-cluster-name=${name}`,
          `--kubeconfig=${kubeconfigs[app]}`,
          `--namespace=${agentNamespace}`,
          '--registration-auth=grpc',
          `--bootstrap-kubeconfig=${bootstrapKubeconfig}`,
          `--grpc-bootstrap-config=${configFile}`,
          `--grpc-config=${join(identity, 'config.yaml')}`,
          `--hub-kubeconfig-dir=${identity}`,
          alone,
          ...flags,
        ]),
      startGrpcWorkAgent: (name) =>
        start('agent', [
          'work',
          `--spoke-cluster-name=${name}`,
          `--kubeconfig=${kubeconfigs.singleton}`,
          `--namespace=${agentNamespace}`,
          '--workload-source-driver=grpc',
          `--workload-source-config=${join(identity, 'config.yaml')}`,
          `--hub-kubeconfig-dir=${identity}`,
          `--cloudevents-client-id=${name}-work-agent`,
          alone,
        ]),
    };
  };

  const running = cleanup.move();
  return {
    ...fleet,
    url,
    startGrpcHub: (flags = []) =>
      fleet.startHub(['--enabled-registration-drivers=csr,grpc', '--grpc-server-hosts=localhost,127.0.0.1', ...flags]),
    async startGrpcServer() {
      const server = start('hub', [
        'grpc-server',
        `--kubeconfig=${serverKubeconfig}`,
        `--namespace=${hubNamespace}`,
        `--server-config=${serverConfig}`,
        '--bind-address=127.0.0.1',
      ]);
      await server.said('serving clusters by gRPC');
      return server;
    },
    newGrpcCluster,
    logs: () => [fleet.logs(), ...programs.map(tail)].join('\n\n'),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** An address at which nobody is meant to connect. */
async function startTrap(): Promise<AsyncDisposable & { readonly url: string; connections(): number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      await once(server.close(), 'close');
    },
  };
}
