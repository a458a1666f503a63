import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClusterManagerSpec, clusterManagers, managedClusters, NamespaceName } from '@flotilla/api-types';
import { csrDriver } from '@flotilla/driver-csr';
import { bootstrapObjects } from '@flotilla/install';
import { deployments, namespaces, pods, secrets, services } from '@flotilla/kube/kinds';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { listAllObjects } from '@flotilla/kube/testing/internal';
import { describe, expect, it } from 'vitest';
import { administrator } from '../registration/administrator.ts';
import { bootstrapAccount } from '../registration/fleet.ts';
import { type Program, startProgram } from '../registration/program.ts';
import {
  accessOf,
  apply,
  deploy,
  kubeconfigOf,
  type Server,
  serverKinds,
  startServer,
} from '../registration/servers.ts';
import { type OperatedCluster, patience, startOperatedCluster } from './operated-cluster.ts';
import { scrape } from './prometheus.ts';

const isApplied = 'True ClusterManagerApplied';
const on = (feature: string) => ({ feature, mode: 'Enable' as const });

/** The ClusterManager of the guides, with all parts. */
const everything: ClusterManagerSpec = {
  registrationConfiguration: { registrationDrivers: [{ authType: 'csr' }, { authType: 'grpc' }] },
  workConfiguration: { workDriver: 'kube', featureGates: [on('ManifestWorkReplicaSet')] },
  placementConfiguration: { featureGates: [on('PlacementDebugServer')] },
  serverConfiguration: {
    endpointsExposure: [{ protocol: 'grpc', grpc: { type: 'loadBalancer', loadBalancer: {} } }],
    featureGates: [on('ClusterProxy'), on('PushAgents')],
  },
};

async function operatorRuns({ server: { client } }: OperatedCluster): Promise<void> {
  const ready = async () =>
    (await client.resource(deployments).find('open-cluster-management/cluster-manager'))?.status?.readyReplicas;
  await expect.poll(ready, patience).toBe(1);
}

/** Starts the agent of a cluster that has a server of its own. */
async function startAgent(hub: Server, managed: Server, name: string, directory: string): Promise<Program> {
  await deploy(managed, 'singleton', ['namespace.yaml', 'rbac.yaml']);
  const kubeconfig = await kubeconfigOf(managed, 'open-cluster-management-agent/klusterlet-work-sa', directory);
  const bootstrap = join(directory, 'bootstrap.yaml');
  await writeKubeconfig(bootstrap, kubeconfigFor(await accessOf(hub, bootstrapAccount)));
  return startProgram('singleton', [
    `--spoke-cluster-name=${name}`,
    `--kubeconfig=${kubeconfig}`,
    '--namespace=open-cluster-management-agent',
    `--bootstrap-kubeconfig=${bootstrap}`,
    '--disable-leader-election',
  ]);
}

/** What a cluster needs to ask a hub, which `init` makes. */
async function allowToJoin(hub: Server): Promise<void> {
  const operator = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NamespaceName.Operator } };
  for (const object of [operator, ...bootstrapObjects([csrDriver])]) await apply(hub, object);
}

describe.each(serverKinds)('on %s', (kind) => {
  it('a ClusterManager becomes a hub that a cluster joins, and is removed without a trace', {
    timeout: 300_000,
  }, async () => {
    await using stack = new AsyncDisposableStack();
    const directory = await mkdtemp(join(tmpdir(), 'flotilla-operator-'));
    stack.defer(() => rm(directory, { recursive: true, force: true }));
    const cluster = stack.use(await startOperatedCluster(kind));
    const managed = stack.use(await startServer('embedded'));
    const { client } = cluster.server;
    await operatorRuns(cluster);
    const before = await listAllObjects(client);
    const handle = client.resource(clusterManagers);
    await handle.create({ metadata: { name: 'cluster-manager' }, spec: everything });
    await expect.poll(() => cluster.condition('Applied'), patience).toBe(isApplied);
    await expect.poll(() => cluster.condition('Progressing'), patience).toContain('False ClusterManagerUpToDate');
    for (const type of [
      'HubRegistrationDegraded',
      'HubPlacementDegraded',
      'HubWorkDegraded',
      'HubGRPCServerDegraded',
      'HubClusterProxyDegraded',
      'HubPushAgentsDegraded',
    ]) {
      await expect.poll(() => cluster.condition(type), patience).toContain('Functional');
    }
    expect(await cluster.condition('MigrationSucceeded')).toContain('True StorageVersionMigrationSucceed');
    const { items } = await client.resource(pods).list({ namespace: NamespaceName.Hub });
    expect(items.map(({ status }) => status?.phase)).toEqual(Array(10).fill('Running'));
    const answered = Object.fromEntries(items.map(({ metadata }) => [metadata?.labels?.app, 200]));
    expect(await scrape(client, items, kind)).toEqual(answered);

    await allowToJoin(cluster.server);
    const admin = stack.use(administrator(client));
    const agent = stack.use(await startAgent(cluster.server, managed, 'c1', directory));
    await admin.admit('c1');
    const joined = await admin.joined('c1');
    // By the webhook, which the API server calls at its pod.
    expect(joined.metadata?.labels).toMatchObject({ 'cluster.open-cluster-management.io/clusterset': 'default' });
    const hubLogs = await cluster.logs(NamespaceName.Hub, 'orbidden');
    expect([...hubLogs, ...(await cluster.logs(NamespaceName.Operator, 'orbidden'))]).toEqual([]);

    await client.resource(managedClusters).delete('c1');
    await expect.poll(() => client.resource(managedClusters).find('c1'), patience).toBeUndefined();
    await agent.end();
    await handle.delete('cluster-manager');
    await expect.poll(() => handle.find('cluster-manager'), patience).toBeUndefined();
    const joining = /bootstrap|cluster-info/;
    const left = async () => (await listAllObjects(client)).filter((line) => !joining.test(line));
    await expect.poll(left, patience).toEqual(before.filter((line) => !joining.test(line)));
  });

  it('a hosted ClusterManager makes another cluster a hub, and leaves nothing on either', {
    timeout: 300_000,
  }, async () => {
    await using stack = new AsyncDisposableStack();
    const directory = await mkdtemp(join(tmpdir(), 'flotilla-operator-'));
    stack.defer(() => rm(directory, { recursive: true, force: true }));
    const management = stack.use(await startOperatedCluster(kind));
    const hub = stack.use(await startServer(kind, { crds: [], workloads: true }));
    const managed = stack.use(await startServer('embedded'));
    const { client } = management.server;
    await operatorRuns(management);
    const before = { management: await listAllObjects(client), hub: await listAllObjects(hub.client) };

    const name = 'hub1';
    await client.resource(namespaces).create({ metadata: { name } });
    const kubeconfig = join(directory, 'hub.yaml');
    await writeKubeconfig(kubeconfig, kubeconfigFor(hub.access));
    const { readFile } = await import('node:fs/promises');
    const data = { kubeconfig: (await readFile(kubeconfig)).toString('base64') };
    await client.resource(secrets).create({ metadata: { namespace: name, name: 'external-hub-kubeconfig' }, data });
    const apps = [`${name}-registration-webhook`, `${name}-work-webhook`, 'cluster-proxy'];
    const [registration = '', work = '', proxy = ''] = await Promise.all(
      apps.map((app) => exposed(management, name, app)),
    );
    const https = { type: 'hostname' as const, hostname: { host: `${proxy}:9443` } };
    await client.resource(clusterManagers).create({
      metadata: { name },
      spec: {
        deployOption: {
          mode: 'Hosted',
          hosted: {
            registrationWebhookConfiguration: { address: registration, port: 9443 },
            workWebhookConfiguration: { address: work, port: 9443 },
          },
        },
        serverConfiguration: {
          endpointsExposure: [{ protocol: 'https', usage: 'cluster-proxy', https }],
          featureGates: [on('ClusterProxy'), on('PushAgents')],
        },
      },
    });
    await expect.poll(() => management.condition('Applied', name), patience).toBe(isApplied);
    await expect.poll(() => management.condition('Progressing', name), patience).toContain('False ');
    for (const type of ['HubClusterProxyDegraded', 'HubPushAgentsDegraded']) {
      await expect.poll(() => management.condition(type, name), patience).toContain('Functional');
    }

    await allowToJoin(hub);
    const admin = stack.use(administrator(hub.client));
    const agent = stack.use(await startAgent(hub, managed, 'c1', directory));
    await admin.admit('c1');
    const joined = await admin.joined('c1');
    expect(joined.metadata?.labels).toMatchObject({ 'cluster.open-cluster-management.io/clusterset': 'default' });
    expect(await management.logs(name, 'orbidden')).toEqual([]);
    await hub.client.resource(managedClusters).delete('c1');
    await expect.poll(() => hub.client.resource(managedClusters).find('c1'), patience).toBeUndefined();
    await agent.end();

    await client.resource(clusterManagers).delete(name);
    await expect.poll(() => client.resource(clusterManagers).find(name), patience).toBeUndefined();
    const joining = /bootstrap|cluster-info|Namespace open-cluster-management$/;
    const left = async () => (await listAllObjects(hub.client)).filter((line) => !joining.test(line));
    await expect.poll(left, patience).toEqual(before.hub.filter((line) => !joining.test(line)));
    await expect.poll(() => listAllObjects(client), patience).toEqual(before.management);
  });
});

/** The address by which another cluster reaches the pods of a server. */
async function exposed({ server: { client } }: OperatedCluster, namespace: string, app: string): Promise<string> {
  const name = `exposed-${app}`;
  await client.resource(services).create({
    metadata: { namespace, name },
    spec: {
      type: 'LoadBalancer',
      selector: { app },
      ports: [{ port: 9443, targetPort: 9443 }],
    },
  });
  const address = async () =>
    (await client.resource(services).get(`${namespace}/${name}`)).status?.loadBalancer?.ingress?.[0]?.ip;
  await expect.poll(address, patience).toBeDefined();
  return (await address()) ?? '';
}
