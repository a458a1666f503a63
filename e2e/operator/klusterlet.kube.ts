import {
  appliedManifestWorks,
  type Klusterlet,
  klusterlets,
  type ManifestWork,
  manifestWorks,
} from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { findCondition, isConditionTrue, type KubeClient } from '@flotilla/kube';
import { type ConfigMap, configMaps, deployments, namespaces, type Pod, pods, secrets } from '@flotilla/kube/kinds';
import { formatKubeconfig, kubeconfigFor } from '@flotilla/kube/kubeconfig';
import { listAllObjects } from '@flotilla/kube/testing/internal';
import { describe, expect, it } from 'vitest';
import { startFleet } from '../registration/fleet.ts';
import { apply, serverKinds, startServer } from '../registration/servers.ts';
import { watching } from '../registration/watching.ts';
import { type AgentCluster, bootstrapOf, modeOf, startAgentCluster } from './agent-cluster.ts';

const timeoutMs = 240_000;
const agent = 'open-cluster-management-agent';

const work = (cluster: string, name: string): ManifestWork => ({
  metadata: { namespace: cluster, name },
  spec: {
    workload: {
      manifests: [
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name }, data: { from: 'hub' } },
      ],
    },
  },
});

const isNamed =
  (name: string) =>
  ({ metadata }: { metadata?: { name?: string } }) =>
    metadata?.name === name;

/** When the condition of a Klusterlet has a status. */
const condition = ({ seen }: AgentCluster, name: string, type: string, status: string): Promise<Klusterlet> =>
  seen.until(
    klusterlets,
    `${type}=${status} of Klusterlet ${name}`,
    (one) => isNamed(name)(one) && findCondition(one.status?.conditions, type)?.status === status,
  );

const setMode = (client: KubeClient, name: string, mode: string) =>
  client.resource(klusterlets).patch(name, { type: 'merge', body: { spec: modeOf(mode) } });

/** The records of applied works. */
const namesOf = async (client: KubeClient): Promise<string[]> =>
  (await client.resource(appliedManifestWorks).list()).items.map(({ metadata }) => metadata?.name ?? '');

/** Objects that a cluster has now and had not before. */
const added = async (client: KubeClient, before: readonly string[]): Promise<string[]> =>
  (await listAllObjects(client)).filter((text) => !before.includes(text)).sort();

describe.each(serverKinds)('a klusterlet on %s, whose agents run as pods', (kind) => {
  it('joins, applies works, switches to one agent without touching them, and goes', {
    timeout: timeoutMs,
  }, async () => {
    await using fleet = await startFleet(await startServer(kind));
    fleet.startHub();
    await using cluster = await startAgentCluster(kind);
    const { client } = cluster.server;
    await cluster.install({ klusterlet: { create: false } });
    const before = await listAllObjects(client);

    await client.resource(namespaces).create({ metadata: { name: agent } });
    const data = { kubeconfig: Buffer.from(bootstrapOf(fleet.bootstrap)).toString('base64') };
    await client.resource(secrets).create({ metadata: { namespace: agent, name: 'bootstrap-hub-kubeconfig' }, data });
    await client.resource(klusterlets).create({
      metadata: { name: 'klusterlet' },
      spec: {
        clusterName: 'edge',
        registrationImagePullSpec: 'flotilla/agent',
        workImagePullSpec: 'flotilla/agent',
        imagePullSpec: 'flotilla/singleton',
      },
    });
    await fleet.admin.admit('edge');
    await fleet.admin.joined('edge');
    await condition(cluster, 'klusterlet', 'Available', 'True');
    await condition(cluster, 'klusterlet', 'HubConnectionDegraded', 'False');
    await condition(cluster, 'klusterlet', 'WorkDesiredDegraded', 'False');

    const works = fleet.hub.client.resource(manifestWorks);
    await works.create(work('edge', 'first'));
    const isApplied = ({ status }: ManifestWork) => isConditionTrue(status?.conditions, 'Available');
    await fleet.admin.seen.until(manifestWorks, 'the first work', (one) => isNamed('first')(one) && isApplied(one));
    const first = await client.resource(configMaps).get('default/first');
    const requests = (await fleet.admin.requests('edge')).length;

    const applied = await cluster.seen.record(configMaps, isNamed('first'));
    await setMode(client, 'klusterlet', 'Singleton');
    await cluster.seen.until(
      deployments,
      'the single agent',
      (one) => isNamed('klusterlet-agent')(one) && (one.status?.availableReplicas ?? 0) > 0,
    );
    await cluster.seen.gone(deployments, `${agent}/klusterlet-registration-agent`);
    await cluster.seen.gone(deployments, `${agent}/klusterlet-work-agent`);
    await works.create(work('edge', 'second'));
    await fleet.admin.seen.until(manifestWorks, 'the second work', (one) => isNamed('second')(one) && isApplied(one));
    expect((await client.resource(configMaps).get('default/first')).metadata?.uid).toBe(first.metadata?.uid);
    expect(applied.changes.filter(({ type }) => type === 'deleted')).toEqual([]);
    expect((await fleet.admin.requests('edge')).length).toBe(requests);

    const records = await namesOf(client);
    await client.resource(klusterlets).delete('klusterlet');
    await cluster.seen.gone(klusterlets, 'klusterlet');
    await cluster.seen.gone(namespaces, agent);
    await cluster.seen.gone(namespaces, `${agent}-addon`);
    // The garbage collector releases what they list first, and looks for new kinds every half minute only.
    for (const name of records) await cluster.seen.gone(appliedManifestWorks, name);
    expect((await added(client, before)).filter((text) => !/^(APIService|Pod|CSINode) /.test(text))).toEqual([
      'ConfigMap default/first',
      'ConfigMap default/second',
      'CustomResourceDefinition appliedmanifestworks.work.open-cluster-management.io',
      'CustomResourceDefinition clusterclaims.cluster.open-cluster-management.io',
    ]);
    expect((await client.resource(configMaps).get('default/first')).metadata?.ownerReferences ?? []).toEqual([]);
  });

  it('manages another cluster when it is hosted, and leaves nothing on either', { timeout: timeoutMs }, async () => {
    await using fleet = await startFleet(await startServer(kind));
    fleet.startHub();
    await using cluster = await startAgentCluster(kind);
    await using managed = await startServer(kind, { crds: [] });
    using there = watching(managed.client);
    const { client } = cluster.server;
    await cluster.install({ klusterlet: { create: false } });
    const before = { here: await listAllObjects(client), there: await listAllObjects(managed.client) };

    await client.resource(klusterlets).create({
      metadata: { name: 'hosted1' },
      spec: {
        clusterName: 'far',
        namespace: 'open-cluster-management-far',
        ...modeOf('Hosted'),
        registrationImagePullSpec: 'flotilla/agent',
        workImagePullSpec: 'flotilla/agent',
      },
    });
    await condition(cluster, 'hosted1', 'ReadyToApply', 'False');
    const put = (name: string, kubeconfig: string) =>
      client.resource(secrets).create({
        metadata: { namespace: 'hosted1', name },
        data: { kubeconfig: Buffer.from(kubeconfig).toString('base64') },
      });
    await put('bootstrap-hub-kubeconfig', bootstrapOf(fleet.bootstrap));
    await put('external-managed-kubeconfig', formatKubeconfig(kubeconfigFor(managed.access)));
    await fleet.admin.admit('far');
    await fleet.admin.joined('far');
    await fleet.hub.client.resource(manifestWorks).create(work('far', 'remote'));
    await there.until(configMaps, 'the object of the work', (one: ConfigMap) => isNamed('remote')(one));
    expect((await managed.client.resource(pods).list()).items).toEqual([]);

    const records = await namesOf(managed.client);
    await client.resource(klusterlets).delete('hosted1');
    await cluster.seen.gone(klusterlets, 'hosted1');
    await cluster.seen.gone(namespaces, 'hosted1');
    await there.gone(namespaces, 'open-cluster-management-far');
    await there.gone(namespaces, `${agent}-addon`);
    for (const name of records) await there.gone(appliedManifestWorks, name);
    const isKept = (text: string) => !/^(APIService|Pod|CSINode) /.test(text);
    expect((await added(client, before.here)).filter(isKept)).toEqual([]);
    expect((await added(managed.client, before.there)).filter(isKept)).toEqual([
      'ConfigMap default/remote',
      'CustomResourceDefinition appliedmanifestworks.work.open-cluster-management.io',
      'CustomResourceDefinition clusterclaims.cluster.open-cluster-management.io',
    ]);
  });

  it('runs the agent of the hub itself, and rolls out another image without a gap', {
    timeout: timeoutMs,
  }, async () => {
    await using cluster = await startAgentCluster(kind);
    const { client } = cluster.server;
    await cluster.install({ klusterlet: { create: false } });
    await using fleet = await startFleet({ ...cluster.server, [Symbol.asyncDispose]: async () => {} });
    for (const definition of customResourceDefinitions()) await apply(cluster.server, definition);
    fleet.startHub();
    await client.resource(namespaces).create({ metadata: { name: agent } });
    const data = { kubeconfig: Buffer.from(bootstrapOf(fleet.bootstrap)).toString('base64') };
    await client.resource(secrets).create({ metadata: { namespace: agent, name: 'bootstrap-hub-kubeconfig' }, data });
    await client.resource(klusterlets).create({
      metadata: { name: 'klusterlet' },
      spec: { clusterName: 'local-cluster', imagePullSpec: 'flotilla/singleton:v1', ...modeOf('Singleton') },
    });
    await fleet.admin.admit('local-cluster');
    await fleet.admin.joined('local-cluster');
    await fleet.hub.client.resource(manifestWorks).create(work('local-cluster', 'own'));
    await cluster.seen.until(configMaps, 'the object of the work', isNamed('own'));
    await condition(cluster, 'klusterlet', 'Available', 'True');

    using rollout = await cluster.seen.record(deployments, isNamed('klusterlet-agent'));
    using touched = await cluster.seen.record(configMaps, isNamed('own'));
    const isOf = (image: string) => (pod: Pod) =>
      pod.spec?.containers[0]?.image === image && pod.status?.phase === 'Running';
    await client
      .resource(klusterlets)
      .patch('klusterlet', { type: 'merge', body: { spec: { imagePullSpec: 'flotilla/singleton:v2' } } });
    await cluster.seen.until(pods, 'a pod of the new version', isOf('flotilla/singleton:v2'));
    await cluster.seen.until(
      deployments,
      'the rollout to end',
      ({ metadata, status }) =>
        metadata?.name === 'klusterlet-agent' &&
        status?.observedGeneration === metadata.generation &&
        status?.updatedReplicas === 1 &&
        status.replicas === 1 &&
        status.availableReplicas === 1,
    );
    expect(rollout.changes.every(({ object }) => (object.status?.availableReplicas ?? 0) > 0)).toBe(true);
    expect(touched.changes.filter(({ type }) => type !== 'added')).toEqual([]);
    await fleet.admin.joined('local-cluster');
    expect((await fleet.admin.requests('local-cluster')).length).toBe(1);
  });
});
