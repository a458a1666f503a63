import {
  Label,
  type ManifestWorkReplicaSet,
  type ManifestWorkReplicaSetSpec,
  managedClusterSetBindings,
  managedClusters,
  manifestWorkReplicaSets,
  manifestWorks,
  placements,
} from '@flotilla/api-types';
import { findCondition, joinKey } from '@flotilla/kube';
import { configMaps, deployments, leases, namespaces } from '@flotilla/kube/kinds';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, type Fleet, startFleet } from '../registration/fleet.ts';
import type { Program } from '../registration/program.ts';
import { deploy, serverKinds, startServer } from '../registration/servers.ts';
import { configMap } from './manifests.ts';

const names = ['cluster1', 'cluster2', 'cluster3'];
const namespace = 'team';
const key = `${namespace}/web`;
const poll = { timeout: 100_000, interval: 100 };
const gates = '--feature-gates=ManifestWorkReplicaSet=true';

const template = (version: string) => ({ workload: { manifests: [configMap('web', { version })] } });
/** Names a namespace that no cluster has, so no agent can apply it. */
const badTemplate = {
  workload: { manifests: [{ ...configMap('web', {}), metadata: { namespace: 'absent', name: 'web' } }] },
};
const progressive = (settings: object) => [
  { name: 'all', rolloutStrategy: { type: 'Progressive' as const, progressive: { maxConcurrency: 1, ...settings } } },
];

const brokenImage = 'web:broken';
const workload = (image: string) => ({
  workload: {
    manifests: [
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { namespace: 'default', name: 'web' },
        spec: {
          replicas: 3,
          selector: { matchLabels: { app: 'web' } },
          template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image }] } },
        },
      },
    ],
  },
});

/** What the Deployment controller and kubelets write: new pods of the broken image crash, and the earlier ones stay. */
async function playDeployments({ server }: Cluster, signal: AbortSignal): Promise<void> {
  const handle = server.client.resource(deployments);
  const { metadata } = await handle.list();
  for await (const event of handle.watch({ resourceVersion: metadata?.resourceVersion ?? '', signal })) {
    if (event.type === 'BOOKMARK' || event.type === 'DELETED') continue;
    const { metadata: { generation = 0, namespace: place, name } = {}, spec, status } = event.object;
    if (status?.observedGeneration === generation) continue;
    const isBroken = spec?.template.spec?.containers[0]?.image === brokenImage;
    const time = new Date().toISOString();
    const about = { lastTransitionTime: time, lastUpdateTime: time };
    const body = {
      status: {
        observedGeneration: generation,
        replicas: isBroken ? 4 : 3,
        updatedReplicas: isBroken ? 1 : 3,
        readyReplicas: 3,
        availableReplicas: 3,
        unavailableReplicas: isBroken ? 1 : null,
        conditions: [
          { ...about, type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', message: 'available' },
          isBroken
            ? {
                ...about,
                type: 'Progressing',
                status: 'False',
                reason: 'ProgressDeadlineExceeded',
                message: 'timed out',
              }
            : {
                ...about,
                type: 'Progressing',
                status: 'True',
                reason: 'NewReplicaSetAvailable',
                message: 'progressed',
              },
        ],
      },
    };
    await handle.status.patch(joinKey(place, name ?? ''), { type: 'merge', body });
  }
}

describe.each(serverKinds)('on %s, replica sets with agents', (kind) => {
  let fleet: Fleet;
  let hub: Program;
  let clusters: Cluster[];
  let isWrong = false;

  beforeAll(async () => {
    fleet = await startFleet(await startServer(kind));
    hub = fleet.startHub([gates]);
    clusters = await Promise.all(names.map(async () => fleet.newCluster(await startServer('embedded'))));
    await Promise.all(
      clusters.map(async (cluster, index) => {
        const name = names[index] ?? '';
        await deploy(cluster.server, 'singleton', ['work-payloads.yaml']);
        cluster.startAgent(name, { app: 'singleton' });
        await fleet.admin.admit(name);
        await fleet.admin.joined(name);
      }),
    );
    const { client } = fleet.hub;
    await client.resource(namespaces).create({ metadata: { name: namespace } });
    const metadata = { namespace, name: 'global' };
    await client.resource(managedClusterSetBindings).create({ metadata, spec: { clusterSet: 'global' } });
    await client.resource(placements).create({ metadata: { namespace, name: 'all' }, spec: {} });
    await client.resource(placements).create({
      metadata: { namespace, name: 'canary' },
      spec: { predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'canary' } } } }] },
    });
  }, 240_000);
  afterEach(({ task }) => {
    isWrong ||= task.result?.state === 'fail';
  });
  afterAll(async () => {
    if (isWrong) console.error(fleet?.logs());
    await fleet?.[Symbol.asyncDispose]();
    await Promise.all((clusters ?? []).map(({ server }) => server[Symbol.asyncDispose]()));
  });

  const sets = () => fleet.hub.client.resource(manifestWorkReplicaSets);
  const create = (spec: Partial<ManifestWorkReplicaSetSpec>) =>
    sets().create({
      metadata: { namespace, name: 'web' },
      spec: {
        manifestWorkTemplate: template('v1'),
        placementRefs: [{ name: 'all' }],
        cascadeDeletionPolicy: 'Foreground',
        ...spec,
      },
    });
  const change = (spec: object) => sets().patch(key, { type: 'merge', body: { spec } });
  /** What clusters have, as their own API servers say. */
  const versions = () =>
    Promise.all(
      clusters.map(async ({ server }) => (await server.client.resource(configMaps).find('default/web'))?.data?.version),
    );
  const status = async () => (await sets().get(key)).status;
  const until = (what: string, isIt: (set: ManifestWorkReplicaSet) => boolean) =>
    fleet.admin.seen.until(manifestWorkReplicaSets, what, (set) => set.metadata?.name === 'web' && isIt(set));
  const rolledOut = (set: ManifestWorkReplicaSet) =>
    findCondition(set.status?.conditions, 'PlacementRolledOut')?.status === 'True';
  const remove = async () => {
    await sets().delete(key);
    await fleet.admin.seen.gone(manifestWorkReplicaSets, key);
    expect(await versions()).toEqual([undefined, undefined, undefined]);
  };

  it('[work 18.N-199] put the template on all clusters, and follow labels of clusters', {
    timeout: 200_000,
  }, async () => {
    await create({});
    await until('applied', (set) => set.status?.summary?.available === 3 && rolledOut(set));
    expect(await versions()).toEqual(['v1', 'v1', 'v1']);
    expect((await status())?.summary).toMatchObject({
      total: 3,
      applied: 3,
      available: 3,
      desiredTotal: 3,
      updated: 3,
    });
    await remove();

    await create({ placementRefs: [{ name: 'canary' }] });
    await until(
      'empty',
      (set) => set.status?.conditions?.some(({ reason }) => reason === 'PlacementDecisionEmpty') ?? false,
    );
    const label = (tier: string | null) =>
      fleet.hub.client
        .resource(managedClusters)
        .patch('cluster2', { type: 'merge', body: { metadata: { labels: { tier } } } });
    await label('canary');
    await expect.poll(versions, poll).toEqual([undefined, 'v1', undefined]);
    await label(null);
    await expect.poll(versions, poll).toEqual([undefined, undefined, undefined]);
    await remove();
  });

  it('stop a bad template at the first cluster, whoever kills the hub, and go on with a good one', {
    timeout: 200_000,
  }, async () => {
    await create({ placementRefs: progressive({}) });
    await until('rolled out', rolledOut);
    await change({ manifestWorkTemplate: badTemplate });
    await until('failing', ({ status: now }) => findCondition(now?.conditions, 'ClustersFailed')?.status === 'True');
    const { message, reason } = findCondition((await status())?.conditions, 'ClustersFailed') ?? {};
    expect(reason).toBe('MaxFailuresExceeded');
    expect(message).toContain('1 cluster failed: cluster1: ConfigMap absent/web: ');

    await hub.end('SIGKILL');
    hub = fleet.startHub([gates]);
    await change({ manifestWorkTemplate: template('v2') });
    await until('rolled out again', (set) => rolledOut(set) && set.status?.summary?.updated === 3);
    expect(await versions()).toEqual(['v2', 'v2', 'v2']);
    const { items } = await fleet.hub.client
      .resource(manifestWorks)
      .list({ labelSelector: Label.ManifestWorkReplicaSet });
    expect(items.map(({ metadata }) => metadata?.namespace).sort()).toEqual(names);
    await remove();
  });

  it('stop a broken image at the first cluster, although the pods before it stay available', {
    timeout: 200_000,
  }, async () => {
    const end = new AbortController();
    const kubelets = clusters.map((cluster) => playDeployments(cluster, end.signal));
    const images = () =>
      Promise.all(
        clusters.map(async ({ server }) => {
          const web = await server.client.resource(deployments).find('default/web');
          return web?.spec?.template.spec?.containers[0]?.image;
        }),
      );
    await create({ placementRefs: progressive({}), manifestWorkTemplate: workload('web:v1') });
    await until('rolled out', rolledOut);
    expect(await images()).toEqual(['web:v1', 'web:v1', 'web:v1']);

    await change({ manifestWorkTemplate: workload(brokenImage) });
    await until('failing', ({ status: now }) => findCondition(now?.conditions, 'ClustersFailed')?.status === 'True');
    const { message, reason } = findCondition((await status())?.conditions, 'ClustersFailed') ?? {};
    expect(reason).toBe('MaxFailuresExceeded');
    expect(message).toContain('1 cluster failed: cluster1: Deployment default/web: ');
    expect(await images()).toEqual([brokenImage, 'web:v1', 'web:v1']);

    await change({ manifestWorkTemplate: workload('web:v3') });
    await until('rolled out again', (set) => rolledOut(set) && set.status?.summary?.updated === 3);
    expect(await images()).toEqual(['web:v3', 'web:v3', 'web:v3']);
    await sets().delete(key);
    await fleet.admin.seen.gone(manifestWorkReplicaSets, key);
    end.abort();
    await Promise.all(kubelets);
  });

  it('soak and give up by the clock', { timeout: 200_000 }, async () => {
    await create({ placementRefs: progressive({ minSuccessTime: '2s', progressDeadline: '2s', maxFailures: 1 }) });
    const started = async () => {
      const { items } = await fleet.hub.client
        .resource(manifestWorks)
        .list({ labelSelector: Label.ManifestWorkReplicaSet });
      return items.map(({ metadata }) => Date.parse(metadata?.creationTimestamp ?? '')).sort((a, b) => a - b);
    };
    await until('rolled out', rolledOut);
    const [first = 0, second = 0, third = 0] = await started();
    expect(second - first).toBeGreaterThanOrEqual(2000);
    expect(third - second).toBeGreaterThanOrEqual(2000);

    // The second cluster is given up after its deadline as the first was; the third keeps what it has.
    await change({ manifestWorkTemplate: badTemplate });
    await until('stopped', ({ status: now }) =>
      (findCondition(now?.conditions, 'ClustersFailed')?.message ?? '').includes('2 clusters failed'),
    );
    expect((await versions())[2]).toBe('v1');
    await remove();
  });

  it('are carried on by the second replica when the first is killed', { timeout: 200_000 }, async () => {
    await hub.end('SIGKILL');
    const elected = [
      gates,
      '--leader-election-lease-duration=4s',
      '--leader-election-renew-deadline=3s',
      '--leader-election-retry-period=500ms',
    ];
    const lease = 'open-cluster-management-hub/registration-controller-lock';
    const first = fleet.startHub(elected);
    await first.said('leading');
    await create({ placementRefs: progressive({ minSuccessTime: '2s' }) });
    const second = fleet.startHub(elected);
    const holder = async () => (await fleet.hub.client.resource(leases).find(lease))?.spec?.holderIdentity;
    await until('one cluster done', ({ status: now }) => (now?.summary?.available ?? 0) > 0);
    const before = await holder();
    await first.end('SIGKILL');
    await until('rolled out by the other', rolledOut);
    expect(await holder()).not.toBe(before);
    const { items } = await fleet.hub.client
      .resource(manifestWorks)
      .list({ labelSelector: Label.ManifestWorkReplicaSet });
    expect(items).toHaveLength(3);
    await remove();
    await second.end();
  });
});
