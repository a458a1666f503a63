import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startControlPlane } from '@flotilla/control-plane';
import { type ClusterAccess, createKubeClient, type KubeClient, staticAccess } from '@flotilla/kube';
import { secrets } from '@flotilla/kube/kinds';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { type Administrator, administrator } from './administrator.ts';
import { type Program, type ProgramOptions, startProgram, tail } from './program.ts';
import { accessOf, deploy, kubeconfigOf, type Server } from './servers.ts';

/** A hub and the clusters that may join it; programs run with the rights of their manifests and no more. */
export interface Fleet extends AsyncDisposable {
  readonly hub: Server;
  readonly admin: Administrator;
  /** How new clusters reach the hub. */
  readonly bootstrap: ClusterAccess;
  startHub(flags?: readonly string[], options?: ProgramOptions): Program;
  /** A cluster that knows nothing of the hub yet; without a server of its own, on an embedded one. */
  newCluster(server?: Server): Promise<Cluster>;
  /** What the programs have said, for a failure. */
  logs(): string;
}

/** A cluster that may join. */
export interface Cluster {
  readonly server: Server;
  /** The file by which its agents find the hub. */
  readonly bootstrapFile: string;
  /** Lets its agents find another hub, or the same with another credential. */
  setBootstrap(access: ClusterAccess): Promise<void>;
  startAgent(name: string, options?: AgentOptions): Program;
  /** What the agent keeps of its identity. */
  identity(): Promise<Readonly<Record<string, string>> | undefined>;
  /** Lets the next agent start as a new one. */
  forgetIdentity(): Promise<void>;
  /** A client of the hub with the identity of the agent; the test closes it. */
  hubClient(): Promise<KubeClient>;
}

/** How an agent is started. */
export interface AgentOptions extends ProgramOptions {
  /** The whole agent in one process, or registration alone. */
  readonly app?: 'agent' | 'singleton';
  readonly flags?: readonly string[];
}

const agentNamespace = 'open-cluster-management-agent';
const hubNamespace = 'open-cluster-management-hub';
const identityKey = `${agentNamespace}/hub-kubeconfig-secret`;
const accounts = { agent: 'klusterlet-registration-sa', singleton: 'klusterlet-work-sa' } as const;
/** A machine that is busy elsewhere must not cost a lone process its leadership. */
const alone = '--disable-leader-election';

/** Who new clusters are on the hub. */
export const bootstrapAccount = 'open-cluster-management/agent-registration-bootstrap';

/** Prepares a server as the hub of a fleet, which ends with it; starts no programs. */
export async function startFleet(hub: Server): Promise<Fleet> {
  await using cleanup = new AsyncDisposableStack();
  cleanup.use(hub);
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-registration-'));
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  await deploy(hub, 'hub', ['namespace.yaml', 'controller-rbac.yaml', 'bootstrap.yaml']);
  const hubKubeconfig = await kubeconfigOf(hub, `${hubNamespace}/registration-controller-sa`, directory);
  const bootstrap = await accessOf(hub, bootstrapAccount);
  const admin = cleanup.use(administrator(hub.client));
  const programs: Program[] = [];
  const start = (app: string, args: readonly string[], options?: ProgramOptions): Program => {
    const program = startProgram(app, args, options);
    programs.push(program);
    return program;
  };
  const clusterServers: Server[] = [];
  cleanup.defer(async () => {
    for (const server of clusterServers) await server[Symbol.asyncDispose]();
  });
  cleanup.defer(async () => {
    await Promise.all(programs.map((program) => program.end('SIGKILL')));
  });
  const startClusterServer = async (): Promise<Server> => {
    const server = await startManagedServer();
    clusterServers.push(server);
    return server;
  };
  const newCluster = async (given?: Server): Promise<Cluster> => {
    const server = given ?? (await startClusterServer());
    const home = await mkdtemp(join(directory, 'cluster-'));
    await deploy(server, 'agent', ['namespace.yaml', 'rbac.yaml']);
    await deploy(server, 'singleton', ['rbac.yaml']);
    const kubeconfigs = {
      agent: await kubeconfigOf(server, `${agentNamespace}/${accounts.agent}`, home),
      singleton: await kubeconfigOf(server, `${agentNamespace}/${accounts.singleton}`, home),
    };
    const bootstrapFile = join(home, 'bootstrap.yaml');
    const setBootstrap = (access: ClusterAccess) => writeKubeconfig(bootstrapFile, kubeconfigFor(access));
    await setBootstrap(bootstrap);
    const secretHandle = server.client.resource(secrets);
    const identity = async () => {
      const data = (await secretHandle.find(identityKey))?.data;
      return data && Object.fromEntries(Object.entries(data).map(([key, value]) => [key, atob(value)]));
    };
    return {
      server,
      bootstrapFile,
      setBootstrap,
      startAgent: (name, { app = 'agent', flags = [], ...options } = {}) =>
        start(
          app,
          [
            ...(app === 'agent' ? ['registration'] : []),
            `--spoke-cluster-name=${name}`,
            `--kubeconfig=${kubeconfigs[app]}`,
            `--namespace=${agentNamespace}`,
            `--bootstrap-kubeconfig=${bootstrapFile}`,
            ...(flags.some((flag) => flag.startsWith('--leader-election')) ? [] : [alone]),
            ...flags,
          ],
          options,
        ),
      identity,
      forgetIdentity: () => secretHandle.delete(identityKey),
      async hubClient() {
        const { 'tls.crt': certificate = '', 'tls.key': key = '' } = (await identity()) ?? {};
        const { server: url, ca } = hub.access;
        const access = { server: url, ca, clientCertificate: { certificate, key }, origin: 'the identity of an agent' };
        return createKubeClient({ access: staticAccess(access) });
      },
    };
  };

  const running = cleanup.move();
  return {
    hub,
    admin,
    bootstrap,
    startHub: (flags = [], options) =>
      start(
        'hub',
        [
          'controller',
          `--kubeconfig=${hubKubeconfig}`,
          `--namespace=${hubNamespace}`,
          ...(flags.some((flag) => flag.startsWith('--leader-election')) ? [] : [alone]),
          ...flags,
        ],
        options,
      ),
    newCluster,
    logs: () => programs.map(tail).join('\n\n'),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Uses a server as the hub of a fleet, and shows what its programs said if that fails. */
export async function inFleet(server: Promise<Server>, use: (fleet: Fleet) => Promise<void>): Promise<void> {
  await using fleet = await startFleet(await server);
  try {
    await use(fleet);
  } catch (error) {
    console.error(fleet.logs());
    throw error;
  }
}

/**
 * A managed cluster needs an API server of its own, because the uid of its kube-system is its identity. An embedded one is there
 * in a moment, so that a suite can have many whatever its hub is; `join.kube.ts` has both on real ones.
 */
const startManagedServer = (): Promise<Server> =>
  startControlPlane({ crds: customResourceDefinitions().filter(({ spec }) => spec.names.kind === 'ClusterClaim') });
