import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClusterProxyApi, clusterProxyPath } from '@flotilla/api-types';
import { publishExternally } from '@flotilla/cluster-proxy/hub';
import { findFreePort } from '@flotilla/envtest';
import { type ClusterAccess, createKubeClient, type KubeClient, realClock, staticAccess } from '@flotilla/kube';
import { apiServices, clusterRoleBindings, clusterRoles } from '@flotilla/kube/kinds';
import { type GrpcFleet, startGrpcFleet } from '../grpc/grpc-fleet.ts';
import { type Program, startProgram, tail } from '../registration/program.ts';
import { deploy, kubeconfigOf, type Server, type ServerKind, startServer } from '../registration/servers.ts';

/** A user of the hub. */
export interface TestUser {
  readonly user: string;
  readonly groups?: readonly string[];
}

/** A fleet whose clusters users of the hub may reach. */
export interface ProxyFleet extends GrpcFleet {
  /** Starts the program that serves the API, or starts it again at the same address; resolves when the API server uses it. */
  startProxy(flags?: readonly string[]): Promise<Program>;
  /** How a user reaches a cluster through the hub. */
  accessTo(cluster: string, user: TestUser): ClusterAccess;
  /** The same as a client, which ends with the fleet. */
  clientTo(cluster: string, user: TestUser): KubeClient;
  /** Lets a user use clusters through the hub. */
  permit(user: string, clusters: readonly string[], verbs?: readonly string[]): Promise<void>;
}

/** The flag of agents that let users of the hub in. */
export const enabled = '--feature-gates=ClusterProxy=true';

const namespace = 'open-cluster-management-hub';
const waitMs = 60_000;

/** Starts a server that reaches programs of this machine. */
export const startProxyServer = (kind: ServerKind): Promise<Server> => startServer(kind, { externalServices: true });

/** Prepares a server as the hub of a fleet, which ends with it. */
export async function startProxyFleet(hub: Server): Promise<ProxyFleet> {
  await using cleanup = new AsyncDisposableStack();
  const fleet = cleanup.use(await startGrpcFleet(hub));
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-proxy-'));
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  await deploy(hub, 'hub', ['cluster-proxy/rbac.yaml']);
  const kubeconfig = await kubeconfigOf(hub, `${namespace}/cluster-proxy-sa`, directory);
  const port = await findFreePort();
  const programs: Program[] = [];
  cleanup.defer(async () => {
    await Promise.all(programs.map((program) => program.end('SIGKILL')));
  });
  const accessTo = (cluster: string, { user, groups = [] }: TestUser): ClusterAccess => ({
    ...hub.access,
    server: `${hub.access.server}${clusterProxyPath(cluster)}`,
    impersonate: { user, groups },
  });
  const running = cleanup.move();
  return {
    ...fleet,
    async startProxy(flags = []) {
      const program = startProgram('hub', [
        'cluster-proxy',
        `--kubeconfig=${kubeconfig}`,
        '--bind-address=127.0.0.1',
        `--port=${port}`,
        ...flags,
      ]);
      programs.push(program);
      await program.said('serving the API by which clusters are reached');
      await publishExternally(hub.client, { namespace, host: 'localhost', port });
      await served(hub.client);
      return program;
    },
    accessTo,
    clientTo: (cluster, user) =>
      running.adopt(createKubeClient({ access: staticAccess(accessTo(cluster, user)) }), (client) => client.close()),
    async permit(user, clusters, verbs = ['get', 'create', 'update', 'patch', 'delete']) {
      const name = `proxy-${user}`.replaceAll(':', '-');
      const { group, clusters: resource, proxy } = ClusterProxyApi;
      const rules = [
        { apiGroups: [group], resources: [`${resource}/${proxy}`], resourceNames: [...clusters], verbs: [...verbs] },
      ];
      await hub.client.resource(clusterRoles).create({ metadata: { name }, rules });
      await grant(hub, name, name, user);
    },
    logs: () => [fleet.logs(), ...programs.map(tail)].join('\n\n'),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Binds a user to a role of a server. */
export async function grant({ client }: Server, binding: string, role: string, user: string): Promise<void> {
  await client.resource(clusterRoleBindings).create({
    metadata: { name: binding },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  });
}

/** When the API server finds the API. */
async function served(client: KubeClient): Promise<void> {
  const deadline = realClock.monotonic() + waitMs;
  for (;;) {
    const { status } = await client.resource(apiServices).get(ClusterProxyApi.apiService);
    const available = status?.conditions?.find(({ type }) => type === 'Available');
    if (available?.status === 'True') return;
    if (realClock.monotonic() > deadline) throw new Error(`the API is not available: ${available?.message}`);
    await realClock.sleep(100);
  }
}
