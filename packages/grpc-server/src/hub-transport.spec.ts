import { type ManifestWork, managedClusterAddOns, managedClusters, manifestWorks } from '@flotilla/api-types';
import { type CloudEventsClient, createHubTransport } from '@flotilla/cloudevents';
import { createInformers, createKubeClient, type KubeClient, realClock } from '@flotilla/kube';
import {
  certificateSigningRequests,
  configMaps,
  createToken,
  events,
  leases,
  serviceAccounts,
} from '@flotilla/kube/kinds';
import { issueCertificate } from '@flotilla/kube/pki';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SpecHub, startSpecHub } from './fixtures/hub.ts';

const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } };
const applied = {
  type: 'Applied',
  status: 'True',
  reason: 'R',
  message: 'm',
  lastTransitionTime: '2026-01-01T00:00:00Z',
} as const;

describe('a Kubernetes client over CloudEvents', () => {
  let hub: SpecHub;
  const open: KubeClient[] = [];
  const clientOver = (client: CloudEventsClient, clusterName = 'cluster1') => {
    const kube = createKubeClient({ transport: createHubTransport({ client, clusterName }) });
    open.push(kube);
    return kube;
  };
  let agent: KubeClient;
  beforeAll(async () => {
    hub = await startSpecHub();
    agent = clientOver(await hub.agent('cluster1'));
  });
  afterAll(async () => {
    await Promise.all(open.map((client) => client.close()));
    await hub?.[Symbol.asyncDispose]();
  });

  it('receives the CA that the server is verified with, when it connects and when it changes', async () => {
    const announced: string[] = [];
    const transport = createHubTransport({
      client: await hub.agent('cluster2'),
      clusterName: 'cluster2',
      onAnnouncement: ({ caData }) => announced.push(atob(caData)),
    });
    const kube = createKubeClient({ transport });
    open.push(kube);
    const serving = await issueCertificate(hub.authority, { usage: 'server', hosts: ['127.0.0.1'] }, realClock);
    const tls = { ...serving, clientCa: hub.authority.certificate };
    hub.server.updateTls({ ...tls, servingCa: 'one' });
    await kube.resource(managedClusters).list();
    await expect.poll(() => announced).toEqual(['one']);
    hub.server.updateTls({ ...tls, servingCa: 'one' });
    hub.server.updateTls({ ...tls, servingCa: 'two' });
    await expect.poll(() => announced).toEqual(['one', 'two']);
  });

  it('creates its ManagedCluster, reads it, and sees the change of an administrator', async () => {
    const bootstrap = clientOver(hub.bootstrap);
    const clusters = bootstrap.resource(managedClusters);
    expect(await clusters.find('cluster1')).toBeUndefined();
    const created = await clusters.create({ metadata: { name: 'cluster1' }, spec: { leaseDurationSeconds: 60 } });
    expect(created.metadata?.uid).toBeDefined();
    await expect(clusters.create({ metadata: { name: 'cluster1' }, spec: {} })).rejects.toMatchObject({
      code: 'AlreadyExists',
    });
    const informers = createInformers({ client: bootstrap });
    const cache = informers.resource(managedClusters, { fieldSelector: 'metadata.name=cluster1' });
    await cache.whenSynced();
    const body = { spec: { hubAcceptsClient: true } };
    await hub.plane.client.resource(managedClusters).patch('cluster1', { type: 'merge', body });
    await expect.poll(() => cache.get('cluster1')?.spec?.hubAcceptsClient).toBe(true);
    informers.close();
  });

  it('patches its status, and gets a conflict for what it read before', async () => {
    const clusters = agent.resource(managedClusters);
    const before = await clusters.get('cluster1');
    const version = (kubernetes: string) => ({ status: { version: { kubernetes } } });
    const written = await clusters.status.patch('cluster1', { type: 'merge', body: version('v1.36.0') });
    expect(written.status?.version?.kubernetes).toBe('v1.36.0');
    expect((await hub.plane.client.resource(managedClusters).get('cluster1')).status?.version?.kubernetes).toBe(
      'v1.36.0',
    );
    const outdated = clusters.status.replace({ ...before, ...version('v1.35.0') });
    await expect(outdated).rejects.toMatchObject({ code: 'Conflict' });
    await clusters.status.replace({ ...written, status: { ...written.status, ...version('v1.37.0').status } });
  });

  it('renews its lease again and again, each time from the answer of the last', async () => {
    await hub.plane.client.resource(leases).create({
      metadata: {
        name: 'managed-cluster-lease',
        namespace: 'cluster1',
        labels: { 'open-cluster-management.io/cluster-name': 'cluster1' },
      },
      spec: { holderIdentity: 'managed-cluster-lease', renewTime: '2026-01-01T00:00:00.000000Z' },
    });
    const handle = agent.resource(leases);
    await expect.poll(() => handle.find('cluster1/managed-cluster-lease')).toBeDefined();
    let lease = await handle.get('cluster1/managed-cluster-lease');
    for (const second of [1, 2, 3]) {
      const renewTime = `2026-01-01T00:00:0${second}.000000Z`;
      lease = await handle.replace({ ...lease, spec: { ...lease.spec, renewTime } });
    }
    const stored = await hub.plane.client.resource(leases).get('cluster1/managed-cluster-lease');
    expect(stored.spec?.renewTime).toBe('2026-01-01T00:00:03.000000Z');
  });

  it('follows its works, keeps its finalizer to itself, reports, and releases a deleted one', async () => {
    const works = hub.plane.client.resource(manifestWorks);
    await works.create({
      metadata: { name: 'w', namespace: 'cluster1' },
      spec: { workload: { manifests: [manifest] } },
    });
    const handle = agent.resource(manifestWorks);
    const informers = createInformers({ client: agent });
    const cache = informers.resource(manifestWorks, { namespace: 'cluster1' });
    await expect.poll(() => cache.get('cluster1/w')).toBeDefined();
    const finalizer = 'cluster.open-cluster-management.io/manifest-work-cleanup';
    await handle.patch('cluster1/w', { type: 'merge', body: { metadata: { finalizers: [finalizer] } } });
    await handle.status.patch('cluster1/w', { type: 'merge', body: { status: { conditions: [applied] } } });
    expect((await works.get('cluster1/w')).status?.conditions).toEqual([applied]);
    await expect.poll(() => cache.get('cluster1/w')?.status?.conditions).toEqual([applied]);

    await works.delete('cluster1/w');
    await expect.poll(() => cache.get('cluster1/w')?.metadata?.deletionTimestamp).toBeDefined();
    const deleting = cache.get('cluster1/w') as ManifestWork;
    await handle.patch('cluster1/w', {
      type: 'merge',
      body: { metadata: { resourceVersion: deleting.metadata?.resourceVersion, finalizers: [] } },
    });
    await expect.poll(() => works.find('cluster1/w')).toBeUndefined();
    await expect.poll(() => cache.get('cluster1/w')).toBeUndefined();
    informers.close();
  });

  it('sees after a restart that a work is being deleted, with the finalizer that makes it clean up', async () => {
    const works = hub.plane.client.resource(manifestWorks);
    const finalizers = ['cluster.open-cluster-management.io/manifest-work-cleanup'];
    const metadata = { name: 'deleted-meanwhile', namespace: 'cluster1', finalizers };
    await works.create({ metadata, spec: { workload: { manifests: [manifest] } } });
    await works.delete('cluster1/deleted-meanwhile');
    const restarted = clientOver(await hub.agent('cluster1'));
    const work = await restarted.resource(manifestWorks).get('cluster1/deleted-meanwhile');
    expect(work.metadata).toMatchObject({ deletionTimestamp: expect.any(String), finalizers });
  });

  it('reports the status of its add-ons, creates events, and gets tokens', async () => {
    await hub.plane.client
      .resource(managedClusterAddOns)
      .create({ metadata: { name: 'a', namespace: 'cluster1' }, spec: {} });
    const addOns = agent.resource(managedClusterAddOns);
    await expect.poll(() => addOns.find('cluster1/a')).toBeDefined();
    await addOns.status.patch('cluster1/a', { type: 'merge', body: { status: { namespace: 'addon-ns' } } });
    const stored = await hub.plane.client.resource(managedClusterAddOns).get('cluster1/a');
    expect(stored.status?.namespace).toBe('addon-ns');
    await agent.resource(events).create({
      metadata: { name: 'e', namespace: 'cluster1' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'agent',
      reportingInstance: 'agent-1',
      action: 'Join',
      reason: 'Joined',
      type: 'Normal',
      regarding: { kind: 'ManagedCluster', name: 'cluster1', namespace: 'cluster1' },
    });
    expect((await hub.plane.client.resource(events).get('cluster1/e')).reason).toBe('Joined');
    await hub.plane.client
      .resource(serviceAccounts)
      .create({ metadata: { name: 'addon-agent', namespace: 'cluster1' } });
    const { token } = await createToken(agent, 'cluster1/addon-agent', { expirationSeconds: 3600 });
    expect(token).toMatch(/^ey/);
  });

  it('[work 18.Q-221] is refused other kinds, other clusters and other verbs', async () => {
    await expect(agent.resource(configMaps).list()).rejects.toMatchObject({ code: 'NotFound' });
    await expect(agent.resource(leases).delete('cluster1/managed-cluster-lease')).rejects.toMatchObject({
      code: 'MethodNotAllowed',
    });
    const other = clientOver(await hub.agent('cluster9'), 'cluster9');
    await expect(other.resource(leases).list()).rejects.toMatchObject({ code: 'Forbidden' });
    await expect(other.resource(certificateSigningRequests).list()).rejects.toMatchObject({ code: 'Forbidden' });
  });
});
