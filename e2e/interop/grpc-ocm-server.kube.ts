import { Label, type ManifestWork, managedClusters, manifestWorks } from '@flotilla/api-types';
import {
  type CloudEvent,
  type CloudEventsClient,
  certificateSigningRequestCodec,
  createCloudEventsClient,
  createResyncRequest,
  type DataType,
  dataTypes,
  decodeBundle,
  encodeBundleStatus,
  isForwardingNotServed,
  leaseCodec,
  managedClusterCodec,
  sequenceIds,
} from '@flotilla/cloudevents';
import { type ClusterAccess, type KubeError, realClock, staticAccess } from '@flotilla/kube';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createCsr } from '../envtest/csr.ts';
import { type GrpcFleet, startGrpcFleet } from './grpc-fleet.ts';

const name = 'cluster1';
const created = (source = name) =>
  ({ source, now: realClock.now(), subresource: 'spec', action: 'create_request' }) as const;

/** Receives what the hub has of one data type. */
async function follow(client: CloudEventsClient, dataType: DataType) {
  const events: CloudEvent[] = [];
  await new Promise<void>((onSubscribed) => {
    client.subscribe({ clusterName: name, dataType }, { onSubscribed, onEvent: (event) => events.push(event) });
  });
  const resync = createResyncRequest({ source: name, now: realClock.now() }, dataType, {
    clusterName: name,
    known: new Map(),
  });
  await client.publish(resync);
  return events;
}

describe("our client and OCM's gRPC server", () => {
  let fleet: GrpcFleet;
  const clients: CloudEventsClient[] = [];
  const connect = (access: ClusterAccess) => {
    const client = createCloudEventsClient({ access: staticAccess(access) });
    clients.push(client);
    return client;
  };
  let bootstrap: CloudEventsClient;
  let agent: CloudEventsClient;

  beforeAll(async () => {
    fleet = await startGrpcFleet();
    await fleet.startOcmGrpcHub();
    await fleet.startOcmGrpcServer();
    bootstrap = connect(fleet.bootstrapAccess());
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(fleet.logs());
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await fleet?.[Symbol.asyncDispose]();
  });

  it('registers a cluster: it asks, and gets its certificate over the stream', async () => {
    const clusters = await follow(bootstrap, dataTypes.managedClusters);
    const requests = await follow(bootstrap, dataTypes.certificateSigningRequests);
    const cluster = { metadata: { name }, spec: { hubAcceptsClient: false, leaseDurationSeconds: 60 } };
    await bootstrap.publish(managedClusterCodec.encode(cluster, created()));
    await expect.poll(() => clusters.map((event) => managedClusterCodec.decode(event).metadata?.name)).toContain(name);
    const again = bootstrap.publish(managedClusterCodec.encode(cluster, created()));
    await expect(again).rejects.toMatchObject({ code: 'AlreadyExists', status: 409 });

    const user = `system:open-cluster-management:${name}:agent1`;
    const groups = [`system:open-cluster-management:${name}`, 'system:open-cluster-management:managed-clusters'];
    const { request, key } = await createCsr({ name: user, groups });
    const csr = {
      metadata: { name: `${name}-abcde`, labels: { [Label.ClusterName]: name } },
      spec: {
        request: btoa(request),
        signerName: 'open-cluster-management.io/grpc',
        usages: ['digital signature', 'key encipherment', 'client auth'],
      },
    };
    await bootstrap.publish(certificateSigningRequestCodec.encode(csr, created()));
    await fleet.admin.admit(name);
    const certificate = () =>
      requests.map((event) => certificateSigningRequestCodec.decode(event).status?.certificate).find(Boolean);
    await expect.poll(certificate, { timeout: 60_000 }).toBeDefined();
    const { authorization: _, ...access } = fleet.bootstrapAccess();
    agent = connect({ ...access, clientCertificate: { certificate: atob(certificate() ?? ''), key } });
  });

  it('is told that requests of add-ons are not forwarded, and goes on', async () => {
    const head = { clusterName: name, addOnName: 'a', method: 'GET', path: '/version', headers: [] };
    const error = await agent.forward(head).catch((caught: unknown) => caught);
    expect(isForwardingNotServed(error)).toBe(true);
  });

  it('renews the heartbeat of the cluster with its certificate', async () => {
    await fleet.admin.condition(name, 'HubAcceptedManagedCluster', 'True');
    const leases = await follow(agent, dataTypes.leases);
    await expect.poll(() => leases.length, { timeout: 60_000 }).toBeGreaterThan(0);
    const [first] = leases;
    if (!first) throw new Error('no lease');
    const lease = leaseCodec.decode(first);
    const renewTime = '2026-01-01T00:00:05.000000Z';
    const renewed = { ...lease, spec: { ...lease.spec, renewTime } };
    await agent.publish(leaseCodec.encode(renewed, { ...created(), action: 'update_request' }));
    await expect.poll(() => leases.map((event) => leaseCodec.decode(event).spec?.renewTime)).toContain(renewTime);
    await expect(
      agent.publish(leaseCodec.encode(renewed, { ...created(), action: 'update_request' })),
    ).rejects.toMatchObject({
      code: 'Conflict',
    });
  });

  it('gets a work, its change and its deletion, and reports on it', async () => {
    const works = fleet.hub.client.resource(manifestWorks);
    const manifest = (value: string) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'cm', namespace: 'default' },
      data: { value },
    });
    const events = await follow(agent, dataTypes.manifestBundles);
    const received = (): ManifestWork[] => events.map(decodeBundle);
    await works.create({
      metadata: { name: 'work', namespace: name },
      spec: { workload: { manifests: [manifest('one')] } },
    });
    await expect.poll(() => received().length).toBe(1);
    const [work] = received();
    expect(work?.spec?.workload?.manifests).toEqual([manifest('one')]);

    const sequence = sequenceIds(realClock);
    const report = async (type: 'Applied' | 'Deleted') => {
      const condition = {
        type,
        status: 'True',
        reason: 'E2E',
        message: 'reported over gRPC',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      } as const;
      const origin = { source: `${name}-work-agent`, now: realClock.now() };
      const status = { conditions: [condition] };
      await agent.publish(
        encodeBundleStatus({ ...work, metadata: received().at(-1)?.metadata ?? {}, status }, origin, sequence()),
      );
    };
    // OCM's server adds a finalizer first, which makes its own report conflict.
    await report('Applied').catch((error) => expect(error).toMatchObject({ code: 'Conflict' }));
    await expect
      .poll(async () => {
        await report('Applied').catch(() => {});
        return (await works.get(`${name}/work`)).status?.conditions?.[0]?.message;
      })
      .toBe('reported over gRPC');

    const body = { spec: { workload: { manifests: [manifest('two')] } } };
    await works.patch(`${name}/work`, { type: 'merge', body });
    await expect.poll(() => received().at(-1)?.spec?.workload?.manifests).toEqual([manifest('two')]);
    await works.delete(`${name}/work`);
    await expect.poll(() => received().at(-1)?.metadata?.deletionTimestamp).toBeDefined();
    await report('Deleted');
    await expect.poll(() => works.find(`${name}/work`)).toBeUndefined();
  });

  it('is denied what its cluster has no permission for, with a reason', async () => {
    const other = { metadata: { name: 'other' }, spec: { hubAcceptsClient: true } };
    const denied = agent.publish(managedClusterCodec.encode(other, created()));
    await expect(denied).rejects.toMatchObject({ code: 'Forbidden' });
    expect(await fleet.hub.client.resource(managedClusters).find('other')).toBeUndefined();
    const error = await new Promise<KubeError>((onError) =>
      agent.subscribe(
        { clusterName: 'other', dataType: dataTypes.leases },
        { onSubscribed() {}, onEvent() {}, onError },
      ),
    );
    expect(error.code).toBe('Forbidden');
  });
});
