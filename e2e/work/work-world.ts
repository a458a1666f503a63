import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  appliedManifestWorks,
  type ManifestCondition,
  type ManifestWork,
  type ManifestWorkSpec,
  manifestWorks,
} from '@flotilla/api-types';
import { findCondition, type KubeClient } from '@flotilla/kube';
import { clusterRoles, namespaces, roleBindings, serviceAccounts } from '@flotilla/kube/kinds';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import type { EmbeddedResource } from '@flotilla/schema';
import { type Program, startProgram, tail } from '../registration/program.ts';
import { accessOf, deploy, type Server } from '../registration/servers.ts';
import { type Watching, watching } from '../registration/watching.ts';
import { startGrpcSource } from './grpc-source.ts';

/** What a work may have besides its manifests. */
export type WorkOptions = Omit<ManifestWorkSpec, 'workload'>;

/** A hub with the works of one cluster, that cluster, and its work agent as a process. */
export interface WorkWorld extends AsyncDisposable {
  readonly hub: KubeClient;
  readonly managed: KubeClient;
  readonly onHub: Watching;
  readonly onManaged: Watching;
  readonly hubKubeconfig: string;
  startAgent(flags?: readonly string[]): Program;
  create(name: string, manifests: readonly EmbeddedResource[], options?: WorkOptions): Promise<ManifestWork>;
  /** Changes the spec of a work by a merge patch. */
  change(name: string, spec: Partial<ManifestWorkSpec>): Promise<ManifestWork>;
  remove(name: string): Promise<void>;
  /** When a work is as a check says. */
  until(name: string, what: string, isIt: (work: ManifestWork) => boolean): Promise<ManifestWork>;
  /** When a work is applied and available as it is written now. */
  synced(work: ManifestWork): Promise<ManifestWork>;
  gone(name: string): Promise<void>;
  /** Gives the agent a new credential for the hub. */
  renewHubCredential(): Promise<void>;
  logs(): string;
}

/** How works reach the agent. */
export type WorkTransport = 'kube' | 'grpc';

export const clusterName = 'cluster1';
const agentNamespace = 'open-cluster-management-agent';
const workRole = 'open-cluster-management:managedcluster:work';

/** A condition of a work for what it says now. */
export const workCondition = (work: ManifestWork, type: string): string | undefined => {
  const condition = findCondition(work.status?.conditions, type);
  return condition?.observedGeneration === work.metadata?.generation ? condition?.status : undefined;
};

/** What a work says about one of its manifests. */
export const manifestOf = (work: ManifestWork, ordinal = 0): ManifestCondition | undefined =>
  work.status?.resourceStatus?.manifests?.find(({ resourceMeta }) => resourceMeta.ordinal === ordinal);

/** Prepares a hub and a managed cluster, which may be one server and end with the world; starts no agent. */
export async function startWorkWorld(
  hub: Server,
  managed: Server,
  transport: WorkTransport = 'kube',
): Promise<WorkWorld> {
  await using cleanup = new AsyncDisposableStack();
  cleanup.use(hub);
  if (managed !== hub) cleanup.use(managed);
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-work-'));
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  const onHub = cleanup.use(watching(hub.client));
  const onManaged = cleanup.use(watching(managed.client));

  await prepareHub(hub.client);
  await deploy(managed, 'agent', ['namespace.yaml', 'work-rbac.yaml', 'work-payloads.yaml']);
  await managed.client.resource(clusterRoles).create(customKindRights);
  const hubKubeconfig = join(directory, 'hub.yaml');
  const account = `${clusterName}/agent`;
  const renewKubeconfig = async () => writeKubeconfig(hubKubeconfig, kubeconfigFor(await accessOf(hub, account)));
  await renewKubeconfig();
  const managedKubeconfig = join(directory, 'managed.yaml');
  const managedAccess = await accessOf(managed, `${agentNamespace}/klusterlet-work-sa`);
  await writeKubeconfig(managedKubeconfig, kubeconfigFor(managedAccess));

  const source =
    transport === 'grpc'
      ? await startGrpcSource(hub, account, directory)
      : { flags: [`--workload-source-config=${hubKubeconfig}`], renewCredential: renewKubeconfig, programs: [] };
  const programs: Program[] = [...source.programs];
  cleanup.defer(async () => {
    await Promise.all(programs.map((program) => program.end('SIGKILL')));
  });
  const handle = hub.client.resource(manifestWorks);
  const until: WorkWorld['until'] = (name, what, isIt) =>
    onHub.until(manifestWorks, `${name}: ${what}`, (work) => work.metadata?.name === name && isIt(work));
  const running = cleanup.move();
  return {
    hub: hub.client,
    managed: managed.client,
    onHub,
    onManaged,
    hubKubeconfig,
    startAgent(flags = []) {
      const program = startProgram('agent', [
        'work',
        `--spoke-cluster-name=${clusterName}`,
        `--kubeconfig=${managedKubeconfig}`,
        `--namespace=${agentNamespace}`,
        '--disable-leader-election',
        ...source.flags,
        ...flags,
      ]);
      programs.push(program);
      return program;
    },
    create: (name, manifests, options) =>
      handle.create({
        metadata: { namespace: clusterName, name },
        spec: { workload: { manifests: [...manifests] }, ...options },
      }),
    change: (name, spec) => handle.patch(`${clusterName}/${name}`, { type: 'merge', body: { spec } }),
    remove: (name) => handle.delete(`${clusterName}/${name}`),
    until,
    synced: ({ metadata }) =>
      until(
        metadata?.name ?? '',
        'applied and available',
        (work) =>
          work.metadata?.generation === metadata?.generation &&
          workCondition(work, 'Applied') === 'True' &&
          workCondition(work, 'Available') === 'True',
      ),
    gone: (name) => onHub.gone(manifestWorks, `${clusterName}/${name}`),
    renewHubCredential: source.renewCredential,
    logs: () => programs.map(tail).join('\n\n'),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** The namespace of the cluster, and an agent with the rights there that registration gives to one. */
async function prepareHub(client: KubeClient): Promise<void> {
  await client.resource(namespaces).create({ metadata: { name: clusterName } });
  await client.resource(serviceAccounts).create({ metadata: { namespace: clusterName, name: 'agent' } });
  const group = 'work.open-cluster-management.io';
  await client.resource(clusterRoles).create({
    metadata: { name: workRole },
    rules: [
      { apiGroups: [group], resources: ['manifestworks'], verbs: ['get', 'list', 'watch', 'update', 'patch'] },
      { apiGroups: [group], resources: ['manifestworks/status'], verbs: ['patch', 'update'] },
      { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch', 'update'] },
    ],
  });
  await client.resource(roleBindings).create({
    metadata: { namespace: clusterName, name: 'agent' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: workRole },
    subjects: [{ kind: 'ServiceAccount', namespace: clusterName, name: 'agent' }],
  });
}

/** How an administrator lets works contain kinds of their own. */
const customKindRights = {
  metadata: { name: 'works-of-the-suite', labels: { 'open-cluster-management.io/aggregate-to-work': 'true' } },
  rules: [
    {
      apiGroups: ['e2e.flotilla.example'],
      resources: ['boats', 'rafts'],
      verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
    },
  ],
};

/** What the agent keeps about applied works, by the name of the work. */
export async function appliedWorkOf({ managed }: WorkWorld, name: string) {
  const { items } = await managed.resource(appliedManifestWorks).list();
  return items.find(({ spec }) => spec?.manifestWorkName === name);
}
