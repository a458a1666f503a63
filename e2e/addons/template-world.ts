import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AddOnTemplateSpec,
  addOnDeploymentConfigs,
  addOnTemplates,
  clusterManagementAddOns,
  type ManagedClusterAddOn,
  managedClusterAddOns,
  managedClusterSetBindings,
  placements,
} from '@flotilla/api-types';
import { createKubeClient, findCondition, type KubeClient, kubeconfigAccess, realClock } from '@flotilla/kube';
import { clusterRoleBindings, clusterRoles, deployments, jobs, namespaces, secrets } from '@flotilla/kube/kinds';
import { type Cluster, type Fleet, startFleet } from '../registration/fleet.ts';
import { deploy, type ServerKind, startServer } from '../registration/servers.ts';
import { type Watching, watching } from '../registration/watching.ts';

/** The name of the add-on. */
export const addOn = 'hello';
/** Where its agent runs. */
export const installNamespace = 'hello-system';
/** Where its configuration is on the hub. */
const team = 'team';
const role = 'hello-reader';
const apiGroup = 'rbac.authorization.k8s.io';
const group = 'addon.open-cluster-management.io';

/** Kinds of configuration. */
const templateKind = { group, resource: 'addontemplates' } as const;
const deploymentConfigKind = { group, resource: 'addondeploymentconfigs' } as const;

/** A cluster with its whole agent as a process. */
export interface ManagedCluster extends Cluster {
  readonly name: string;
  readonly client: KubeClient;
  readonly seen: Watching;
  /** As a machine dies. */
  killAgent(): Promise<void>;
  restartAgent(): void;
}

/** A hub and clusters as processes, with a template add-on to offer. */
export interface TemplateWorld extends AsyncDisposable {
  readonly fleet: Fleet;
  readonly hub: KubeClient;
  readonly onHub: Watching;
  join(name: string, flags?: readonly string[]): Promise<ManagedCluster>;
  /** As a machine dies. */
  killHub(): Promise<void>;
  restartHub(): void;
  /** Offers the add-on by hand, with its template and its configuration. */
  offer(): Promise<void>;
  configure(message: string): Promise<void>;
  /** When an add-on of a cluster has a condition. */
  condition(cluster: string, type: string, status: string): Promise<ManagedClusterAddOn>;
}

const pod = (name: string, command: string, version = 'v1') => ({
  containers: [{ name: 'agent', image: `quay.io/acme/${name}:${version}`, args: [command, '--message={{MESSAGE}}'] }],
});
const labels = { app: addOn };

/** What the agent of the add-on consists of, with what removes its traces. */
const templateOf = (version: string): AddOnTemplateSpec => ({
  addonName: addOn,
  agentSpec: {
    workload: {
      manifests: [
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'own' } },
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { namespace: 'own', name: 'agent' },
          spec: {
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: pod('agent', 'run', version) },
          },
        },
        {
          apiVersion: 'batch/v1',
          kind: 'Job',
          metadata: {
            namespace: 'own',
            name: 'cleanup',
            annotations: { 'addon.open-cluster-management.io/addon-pre-delete': '' },
          },
          spec: { template: { spec: { ...pod('cleanup', 'clean'), restartPolicy: 'Never' } } },
        },
      ],
    },
  },
  registration: [
    {
      type: 'KubeClient',
      kubeClient: { hubPermissions: [{ type: 'CurrentCluster', currentCluster: { clusterRoleName: role } }] },
    },
  ],
});

/** Starts a hub; it knows the role that the add-on wants, and its controllers may give it away. */
export async function startTemplateWorld(kind: ServerKind): Promise<TemplateWorld> {
  await using cleanup = new AsyncDisposableStack();
  const fleet = cleanup.use(await startFleet(await startServer(kind)));
  const { client } = fleet.hub;
  const onHub = cleanup.use(watching(client));
  let hub = fleet.startHub();
  await prepareTeam(client);
  const configs = client.resource(addOnDeploymentConfigs);
  const running = cleanup.move();
  return {
    fleet,
    hub: client,
    onHub,
    async join(name, flags = []) {
      const cluster = await fleet.newCluster(await startServer(kind));
      running.use(cluster.server);
      await deploy(cluster.server, 'singleton', ['work-payloads.yaml']);
      const startAgent = () => cluster.startAgent(name, { app: 'singleton', flags });
      let agent = startAgent();
      await fleet.admin.admit(name);
      await fleet.admin.joined(name);
      const { client: managed } = cluster.server;
      return {
        ...cluster,
        name,
        client: managed,
        seen: running.use(watching(managed)),
        async killAgent() {
          await agent.end('SIGKILL');
        },
        restartAgent() {
          agent = startAgent();
        },
      };
    },
    async killHub() {
      await hub.end('SIGKILL');
    },
    restartHub() {
      hub = fleet.startHub();
    },
    offer: () => offerTemplate(client),
    async configure(message) {
      await configs.patch(`${team}/config`, { type: 'merge', body: { spec: specOf(message) } });
    },
    condition: (cluster, type, status) =>
      onHub.until(
        managedClusterAddOns,
        `${type} ${status} of ${cluster}`,
        ({ metadata, status: found }) =>
          metadata?.namespace === cluster && findCondition(found?.conditions, type)?.status === status,
      ),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** A further version of the template; its agents have another image. */
export const addTemplate = (client: KubeClient, version: string) =>
  client.resource(addOnTemplates).create({ metadata: { name: `hello-${version}` }, spec: templateOf(version) });

/** A further configuration. */
export const addConfig = (client: KubeClient, name: string, message: string) =>
  client.resource(addOnDeploymentConfigs).create({ metadata: { namespace: team, name }, spec: specOf(message) });

/** References to configurations. */
export const templateRef = (version: string) => ({ ...templateKind, name: `hello-${version}` });
export const configRef = (name: string) => ({ ...deploymentConfigKind, namespace: team, name });

const specOf = (value: string) => ({
  agentInstallNamespace: installNamespace,
  customizedVariables: [{ name: 'MESSAGE', value }],
});

/** What the administrator of a hub does for a team: a namespace with access to all clusters, and a role that controllers may give away. */
export async function prepareTeam(client: KubeClient): Promise<void> {
  await client.resource(namespaces).create({ metadata: { name: team } });
  const binding = { metadata: { namespace: team, name: 'global' }, spec: { clusterSet: 'global' } };
  await client.resource(managedClusterSetBindings).create(binding);
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }];
  await client.resource(clusterRoles).create({ metadata: { name: role }, rules });
  await client.resource(clusterRoleBindings).create({
    metadata: { name: role },
    roleRef: { apiGroup, kind: 'ClusterRole', name: role },
    subjects: [
      { kind: 'ServiceAccount', namespace: 'open-cluster-management-hub', name: 'registration-controller-sa' },
    ],
  });
}

/** Offers the add-on by hand, with its template and its configuration. */
export async function offerTemplate(client: KubeClient): Promise<void> {
  await client
    .resource(addOnDeploymentConfigs)
    .create({ metadata: { namespace: team, name: 'config' }, spec: specOf('first') });
  await client.resource(addOnTemplates).create({ metadata: { name: 'hello-v1' }, spec: templateOf('v1') });
  await client.resource(placements).create({ metadata: { namespace: team, name: 'all' }, spec: {} });
  const defaultConfigs = [
    { ...templateKind, name: 'hello-v1' },
    { ...deploymentConfigKind, namespace: team, name: 'config' },
  ];
  await client.resource(clusterManagementAddOns).create({ metadata: { name: addOn }, spec: { defaultConfigs } });
}

/** Lets placements install the add-on on all clusters. */
export const byPlacement = { type: 'Placements' as const, placements: [{ namespace: team, name: 'all' }] };

/** When the agent of the add-on is deployed on a cluster with this message. Then the test is its kubelet: the pod is ready. */
export async function agentRuns(
  { client, seen }: Pick<ManagedCluster, 'client' | 'seen'>,
  message: string,
  version = 'v1',
) {
  const found = await seen.until(
    deployments,
    `the agent ${version} with the message ${message}`,
    ({ metadata, spec }) => {
      const [container] = spec?.template.spec?.containers ?? [];
      const isMeant = container?.args?.includes(`--message=${message}`) && container.image?.endsWith(`:${version}`);
      return metadata?.name === 'agent' && isMeant === true;
    },
  );
  const status = { replicas: 1, readyReplicas: 1, availableReplicas: 1, updatedReplicas: 1 };
  const observedGeneration = found.metadata?.generation;
  await client
    .resource(deployments)
    .status.patch(`${installNamespace}/agent`, { type: 'merge', body: { status: { ...status, observedGeneration } } });
  return found;
}

/** When the hook of the add-on runs on a cluster. Then the test is its kubelet: the Job succeeds. */
export async function cleanupRuns({ client, seen }: ManagedCluster): Promise<void> {
  await seen.until(jobs, 'the pre-delete Job', ({ metadata }) => metadata?.name === 'cleanup');
  const now = new Date().toISOString();
  const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => ({
    type,
    status: 'True',
    lastTransitionTime: now,
    lastProbeTime: now,
  }));
  const status = { conditions, startTime: now, completionTime: now, succeeded: 1 };
  await client.resource(jobs).status.patch(`${installNamespace}/cleanup`, { type: 'merge', body: { status } });
}

/** A client of the hub with what the agent of the add-on finds in its Secret, as files; and the names of these. */
export async function addonClient({ seen }: Pick<ManagedCluster, 'seen'>) {
  const { data = {} } = await seen.until(
    secrets,
    'the credentials of the add-on',
    ({ metadata }) => metadata?.name === 'hello-hub-kubeconfig',
  );
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-addon-'));
  for (const [file, text] of Object.entries(data)) await writeFile(join(directory, file), Buffer.from(text, 'base64'));
  const access = kubeconfigAccess({ files: join(directory, 'kubeconfig'), clock: realClock, env: {} });
  const client = createKubeClient({ access });
  return {
    files: Object.keys(data).sort(),
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      access.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
