import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Label, type ManagedCluster, managedClusters } from '@flotilla/api-types';
import {
  type CertificateSigningRequest,
  certificateSigningRequests,
  realClock,
  type Secret,
  secrets,
  setApproval,
  subjectAccessReviews,
} from '@flotilla/kube';
import { type Program, startProgram } from './program.ts';
import { deploy, kubeconfigOf, type Server, type ServerKind, startServer } from './servers.ts';

/** A hub and a cluster that may join it; the programs run with the rights of their manifests and no more. */
export interface World extends AsyncDisposable {
  readonly hub: Server;
  readonly managed: Server;
  startHub(): Program;
  startAgent(clusterName: string): Program;
  startSingleton(clusterName: string): Program;
  /** What an administrator does: approve the pending requests of a cluster, and accept it or not. */
  approve(clusterName: string): Promise<void>;
  accept(clusterName: string, accepted?: boolean): Promise<void>;
  cluster(name: string): Promise<ManagedCluster | undefined>;
  /** `Type=Status` of each condition. */
  conditions(name: string): Promise<string[]>;
  requests(name: string): Promise<CertificateSigningRequest[]>;
  /** What the agent keeps of its identity. */
  identity(): Promise<Secret | undefined>;
  /** Whether the agents of a cluster may renew its heartbeat, by the rights that the hub gave them. */
  mayRenewLease(name: string): Promise<boolean>;
  /** What the programs have said, for a failure. */
  logs(): string;
  /** Lets the agent start as a new one. */
  forgetIdentity(): Promise<void>;
  /** Ends all programs and takes away all clusters and the identity of the agent. */
  reset(): Promise<void>;
  /** Takes the conditions of an agent away, so that the next one must say them again. */
  forgetJoin(name: string): Promise<void>;
}

const agentNamespace = 'open-cluster-management-agent';
const hubNamespace = 'open-cluster-management-hub';
const identityKey = `${agentNamespace}/hub-kubeconfig-secret`;

/** Short, so that a killed leader is soon replaced. */
const election = [
  '--leader-election-lease-duration=3s',
  '--leader-election-renew-deadline=2s',
  '--leader-election-retry-period=500ms',
];

/** Starts both API servers and prepares them as an installation would; programs are left to the test. */
export async function startWorld(kind: ServerKind): Promise<World> {
  await using cleanup = new AsyncDisposableStack();
  const [hub, managed] = await Promise.all([startServer(kind), startServer(kind)]);
  cleanup.use(hub);
  cleanup.use(managed);
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-registration-'));
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  await deploy(hub, 'hub', ['namespace.yaml', 'controller-rbac.yaml', 'bootstrap.yaml']);
  await deploy(managed, 'agent', ['namespace.yaml', 'rbac.yaml']);
  await deploy(managed, 'singleton', ['rbac.yaml']);
  const hubKubeconfig = await kubeconfigOf(hub, `${hubNamespace}/registration-controller-sa`, directory);
  const bootstrap = await kubeconfigOf(hub, 'open-cluster-management/agent-registration-bootstrap', directory);
  const agentKubeconfig = await kubeconfigOf(managed, `${agentNamespace}/klusterlet-registration-sa`, directory);
  const singletonKubeconfig = await kubeconfigOf(managed, `${agentNamespace}/klusterlet-work-sa`, directory);

  const clusters = hub.client.resource(managedClusters);
  const requestHandle = hub.client.resource(certificateSigningRequests);
  const requests = async (name: string) =>
    (await requestHandle.list({ labelSelector: `${Label.ClusterName}=${name}` })).items;
  const started: Program[] = [];
  const start = (app: string, args: readonly string[]): Program => {
    const program = startProgram(app, args);
    started.push(program);
    return program;
  };
  const agentFlags = (clusterName: string, kubeconfig: string) => [
    `--spoke-cluster-name=${clusterName}`,
    `--kubeconfig=${kubeconfig}`,
    `--namespace=${agentNamespace}`,
    `--bootstrap-kubeconfig=${bootstrap}`,
    ...election,
  ];
  const endAll = async () => {
    for (const program of started.splice(0)) await program.end('SIGKILL');
  };
  cleanup.defer(endAll);
  const forgetIdentity = async () => {
    await managed.client.resource(secrets).delete(identityKey);
  };
  const running = cleanup.move();
  return {
    hub,
    managed,
    startHub: () =>
      start('hub', ['controller', `--kubeconfig=${hubKubeconfig}`, `--namespace=${hubNamespace}`, ...election]),
    startAgent: (name) => start('agent', ['registration', ...agentFlags(name, agentKubeconfig)]),
    startSingleton: (name) => start('singleton', agentFlags(name, singletonKubeconfig)),
    async approve(name) {
      const pending = (await requests(name)).filter(({ status }) => !status?.conditions?.length);
      const approval = { type: 'Approved', reason: 'E2E', message: 'approved by the administrator' } as const;
      for (const request of pending) await setApproval(hub.client, request, approval, { now: realClock.now() });
    },
    async accept(name, accepted = true) {
      await clusters.patch(name, { type: 'merge', body: { spec: { hubAcceptsClient: accepted } } });
    },
    cluster: (name) => clusters.find(name),
    conditions: async (name) =>
      ((await clusters.find(name))?.status?.conditions ?? []).map(({ type, status }) => `${type}=${status}`),
    requests,
    identity: () => managed.client.resource(secrets).find(identityKey),
    logs: () => started.map(({ log }) => log.map((line) => JSON.stringify(line)).join('\n')).join('\n\n'),
    forgetIdentity,
    async reset() {
      await endAll();
      for (const { metadata } of (await clusters.list()).items) {
        const name = metadata?.name ?? '';
        await clusters.patch(name, { type: 'merge', body: { metadata: { finalizers: null } } });
        await clusters.delete(name);
      }
      if (await managed.client.resource(secrets).find(identityKey)) await forgetIdentity();
    },
    async mayRenewLease(namespace) {
      const attributes = { group: 'coordination.k8s.io', resource: 'leases', verb: 'update', namespace };
      const groups = [`system:open-cluster-management:${namespace}`];
      const spec = { user: `system:open-cluster-management:${namespace}:a`, groups, resourceAttributes: attributes };
      return (await hub.client.resource(subjectAccessReviews).create({ spec })).status?.allowed ?? false;
    },
    async forgetJoin(name) {
      const { conditions = [] } = (await clusters.find(name))?.status ?? {};
      const kept = conditions.filter(({ type }) => type !== 'ManagedClusterConditionAvailable');
      await clusters.status.patch(name, { type: 'merge', body: { status: { conditions: kept } } });
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
