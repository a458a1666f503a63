import {
  appliedManifestWorks,
  type ClusterManagerSpec,
  clusterManagers,
  type KlusterletSpec,
  klusterlets,
  type ManagedCluster,
  type ManifestWork,
  managedClusters,
  manifestWorks,
} from '@flotilla/api-types';
import { csrDriver } from '@flotilla/driver-csr';
import { bootstrapObjects } from '@flotilla/install';
import { isConditionTrue, keyOf } from '@flotilla/kube';
import {
  configMaps,
  customResourceDefinitions,
  deployments,
  mutatingWebhookConfigurations,
  namespaces,
  secrets,
  serviceAccounts,
  services,
  validatingWebhookConfigurations,
} from '@flotilla/kube/kinds';
import type { KubeObject, ResourceType } from '@flotilla/schema';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { pinnedVersion } from '../ocm/programs.ts';
import { bootstrapOf } from '../operator/agent-cluster.ts';
import { type Administrator, administrator } from '../registration/administrator.ts';
import { bootstrapAccount } from '../registration/fleet.ts';
import { accessOf, apply, type Server } from '../registration/servers.ts';
import type { Recording } from '../registration/watching.ts';
import { type Project, registry, writerOf } from './ocm-operator.ts';
import { startTurningCluster, type TurningCluster } from './turning-cluster.ts';

const hubNamespace = 'open-cluster-management-hub';
const agentNamespace = 'open-cluster-management-agent';
const cluster = 'edge';
const hubPrograms = {
  'registration-controller': 'registrationImagePullSpec',
  'registration-webhook': 'registrationImagePullSpec',
  'work-webhook': 'workImagePullSpec',
  'work-controller': 'workImagePullSpec',
  'placement-controller': 'placementImagePullSpec',
  'addon-manager-controller': 'addOnManagerImagePullSpec',
  'addon-webhook': 'addOnManagerImagePullSpec',
} as const;
const agents = { 'registration-agent': 'registrationImagePullSpec', 'work-agent': 'workImagePullSpec' } as const;

const ocmHub = (version: string) =>
  ({
    registrationImagePullSpec: `${registry}/registration:${version}`,
    workImagePullSpec: `${registry}/work:${version}`,
    placementImagePullSpec: `${registry}/placement:${version}`,
    addOnManagerImagePullSpec: `${registry}/addon-manager:${version}`,
  }) satisfies ClusterManagerSpec;
const ownHub = {
  registrationImagePullSpec: 'flotilla/hub:v1',
  workImagePullSpec: 'flotilla/hub:v1',
  placementImagePullSpec: 'flotilla/hub:v1',
  addOnManagerImagePullSpec: 'flotilla/hub:v1',
} satisfies ClusterManagerSpec;
const ocmAgents = (version: string) =>
  ({
    registrationImagePullSpec: `${registry}/registration:${version}`,
    workImagePullSpec: `${registry}/work:${version}`,
  }) satisfies KlusterletSpec;
const ownAgents = {
  registrationImagePullSpec: 'flotilla/agent:v1',
  workImagePullSpec: 'flotilla/agent:v1',
} satisfies KlusterletSpec;

const work = (name: string, names: readonly string[] = [name]): ManifestWork => ({
  metadata: { namespace: cluster, name },
  spec: {
    workload: {
      manifests: names.map((one) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace: 'default', name: one },
        data: { from: name },
      })),
    },
  },
});

/** Who the objects of a kind are. */
async function identities(
  { client }: Server,
  type: ResourceType<KubeObject>,
  namespace?: string,
): Promise<Record<string, string>> {
  const { items } = await client.resource(type).list(namespace === undefined ? {} : { namespace });
  return Object.fromEntries(items.map((one) => [`${type.kind} ${keyOf(one)}`, one.metadata?.uid ?? '']));
}

describe("a hub and its cluster, operated by OCM's programs and by ours in turn", { timeout: 400_000 }, () => {
  let hub: TurningCluster;
  let managed: TurningCluster;
  let admin: Administrator;
  let version: string;
  let available: Recording<ManagedCluster>;
  let first: Record<string, string>;
  beforeAll(async () => {
    version = await pinnedVersion();
    hub = await startTurningCluster('cluster-manager');
    managed = await startTurningCluster('klusterlet', [hub.server.access.server]);
    admin = administrator(hub.server.client);
  }, 120_000);
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return;
    for (const one of [hub, managed]) console.error(await one.troubles());
  });
  afterAll(async () => {
    available?.[Symbol.dispose]();
    admin?.[Symbol.dispose]();
    await managed?.[Symbol.asyncDispose]();
    await hub?.[Symbol.asyncDispose]();
  });

  /** Waits until all programs of a namespace run these images, each alone. */
  const programsRun = async (
    { seen }: TurningCluster,
    by: Project,
    namespace: string,
    images: Record<string, string>,
  ) => {
    for (const [name, image] of Object.entries(images)) {
      await seen.until(
        deployments,
        `${name} with ${image} by the operator of ${by}`,
        ({ metadata, spec, status }) =>
          metadata?.namespace === namespace &&
          metadata.name === name &&
          writerOf({ metadata, spec }) === by &&
          spec?.template.spec?.containers[0]?.image === image &&
          status?.observedGeneration === metadata.generation &&
          [status?.replicas, status?.updatedReplicas, status?.availableReplicas].every(
            (count) => count === spec.replicas,
          ),
      );
    }
  };
  const hubRuns = async (by: Project, images: typeof ownHub) => {
    const wanted = Object.entries(hubPrograms).map(([name, field]) => [`cluster-manager-${name}`, images[field]]);
    await programsRun(hub, by, hubNamespace, Object.fromEntries(wanted));
    await hub.seen.until(
      clusterManagers,
      'the ClusterManager to be applied',
      ({ metadata, status }) =>
        status?.observedGeneration === metadata.generation && isConditionTrue(status?.conditions, 'Applied'),
    );
  };
  const agentsRun = async (by: Project, images: typeof ownAgents) => {
    const wanted = Object.entries(agents).map(([name, field]) => [`klusterlet-${name}`, images[field]]);
    await programsRun(managed, by, agentNamespace, Object.fromEntries(wanted));
  };

  /** A new work gets through, and the webhook of the moment refuses a wrong one. */
  const applies = async (name: string) => {
    const works = hub.server.client.resource(manifestWorks);
    await works.create(work(name));
    await admin.seen.until(
      manifestWorks,
      `work ${name}`,
      ({ metadata, status }) => metadata?.name === name && isConditionTrue(status?.conditions, 'Available'),
    );
    await expect(works.create(work('empty', []))).rejects.toThrow(/admission webhook .* denied/);
  };
  const everything = async (): Promise<Record<string, string>> => {
    const onHub: [ResourceType<KubeObject>, string?][] = [
      [deployments, hubNamespace],
      [services, hubNamespace],
      [serviceAccounts, hubNamespace],
      [secrets, hubNamespace],
      [customResourceDefinitions],
      [validatingWebhookConfigurations],
      [mutatingWebhookConfigurations],
      [managedClusters],
      [manifestWorks],
    ];
    const onManaged: [ResourceType<KubeObject>, string?][] = [
      [deployments, agentNamespace],
      [serviceAccounts, agentNamespace],
      [secrets, agentNamespace],
      [appliedManifestWorks],
      [configMaps, 'default'],
    ];
    const found = await Promise.all([
      ...onHub.map(([type, namespace]) => identities(hub.server, type, namespace)),
      ...onManaged.map(([type, namespace]) => identities(managed.server, type, namespace)),
    ]);
    return Object.assign({}, ...found);
  };
  /** As the guide for those who come from OCM says: images are changed while no operator runs. */
  const handOver = async (to: Project, hubImages: typeof ownHub, agentImages: typeof ownAgents) => {
    await hub.endOperator();
    const hubPatch = { type: 'merge', body: { spec: hubImages } } as const;
    await hub.server.client.resource(clusterManagers).patch('cluster-manager', hubPatch);
    await hub.startOperator(to);
    await hubRuns(to, hubImages);
    await managed.endOperator();
    const agentPatch = { type: 'merge', body: { spec: agentImages } } as const;
    await managed.server.client.resource(klusterlets).patch('klusterlet', agentPatch);
    await managed.startOperator(to);
    await agentsRun(to, agentImages);
  };

  it("begins with OCM's operators and programs, and a cluster that joins", async () => {
    await hub.startOperator('ocm');
    await managed.startOperator('ocm');
    const featureGates = [{ feature: 'ManifestWorkReplicaSet', mode: 'Enable' as const }];
    await hub.server.client.resource(clusterManagers).create({
      metadata: { name: 'cluster-manager' },
      spec: { ...ocmHub(version), workConfiguration: { workDriver: 'kube', featureGates } },
    });
    await hubRuns('ocm', ocmHub(version));
    for (const object of bootstrapObjects([csrDriver])) await apply(hub.server, object);
    const { client } = managed.server;
    const kubeconfig = bootstrapOf(await accessOf(hub.server, bootstrapAccount));
    await client.resource(namespaces).create({ metadata: { name: agentNamespace } });
    await client.resource(secrets).create({
      metadata: { namespace: agentNamespace, name: 'bootstrap-hub-kubeconfig' },
      data: { kubeconfig: Buffer.from(kubeconfig).toString('base64') },
    });
    const spec = { clusterName: cluster, ...ocmAgents(version) };
    await client.resource(klusterlets).create({ metadata: { name: 'klusterlet' }, spec });
    await admin.admit(cluster);
    await admin.joined(cluster);
    await agentsRun('ocm', ocmAgents(version));
    await applies('by-ocm');
    first = await everything();
    available = await hub.seen.record(managedClusters);
  });

  it('runs our programs under our operators', async () => {
    await handOver('flotilla', ownHub, ownAgents);
    await applies('by-ours');
    expect(await everything()).toMatchObject(first);
  });

  it('goes back', async () => {
    await handOver('ocm', ocmHub(version), ocmAgents(version));
    await applies('by-ocm-again');
    expect(await everything()).toMatchObject(first);
    expect((await admin.requests(cluster)).length).toBe(1);
    const isAvailable = ({ status }: ManagedCluster) =>
      isConditionTrue(status?.conditions, 'ManagedClusterConditionAvailable');
    expect(available.changes.filter(({ type, object }) => type === 'deleted' || !isAvailable(object))).toEqual([]);
  });
});
