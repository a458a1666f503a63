import {
  Annotation,
  Label,
  type ManifestWork,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
} from '@flotilla/api-types';
import {
  type CloudEvent,
  type CloudEventsClient,
  certificateSigningRequestCodec,
  createResyncRequest,
  type DataType,
  dataTypes,
  decodeBundle,
  encodeBundleStatus,
  eventCodec,
  leaseCodec,
  managedClusterAddOnCodec,
  managedClusterCodec,
  originalSourceLabel,
  sequenceIds,
  tokenRequestCodec,
} from '@flotilla/cloudevents';
import { createKubeClient, type KubeError, realClock } from '@flotilla/kube';
import { certificateSigningRequests, events, leases, serviceAccounts } from '@flotilla/kube/kinds';
import { generateKeys, issueCertificate, keyAlgorithm, loadX509 } from '@flotilla/kube/pki';
import type { KubeRequest } from '@flotilla/kube/transport';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveHub } from '../examples/serve-hub.ts';
import { bootstrapUser, type SpecHub, startSpecHub } from './fixtures/hub.ts';

const purpose = (
  action: 'create_request' | 'update_request' | 'delete_request',
  subresource: 'spec' | 'status' = 'spec',
) => ({ source: 'cluster1', now: realClock.now(), subresource, action }) as const;
/** The event with another cluster in its envelope than in its content. */
const forged = (event: CloudEvent, clustername = 'cluster1'): CloudEvent => ({
  ...event,
  extensions: { ...event.extensions, clustername },
});

let hub: SpecHub;
let agent: CloudEventsClient;
beforeAll(async () => {
  hub = await startSpecHub();
  agent = await hub.agent('cluster1');
});
afterAll(() => hub?.[Symbol.asyncDispose]());

/** Receives events of cluster1. */
async function follow(client: CloudEventsClient, dataType: DataType, clusterName = 'cluster1') {
  const received: CloudEvent[] = [];
  const errors: KubeError[] = [];
  await new Promise<void>((onSubscribed) => {
    client.subscribe(
      { clusterName, dataType },
      { onSubscribed, onEvent: (event) => received.push(event), onError: (error) => errors.push(error) },
    );
  });
  return { received, errors };
}

/** A request of the agent of a cluster. */
const csr = async (cluster: string) => {
  const { Pkcs10CertificateRequestGenerator } = await loadX509();
  const keys = await generateKeys();
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: 'CN=a',
    keys,
    signingAlgorithm: keyAlgorithm,
  });
  return {
    metadata: {
      name: `${cluster}-abcde`,
      labels: { [Label.ClusterName]: cluster },
      annotations: { 'open-cluster-management.io/csr-user': 'system:admin', other: 'x' },
    },
    spec: {
      request: btoa(request.toString('pem')),
      signerName: 'open-cluster-management.io/grpc',
      usages: ['digital signature', 'client auth'],
      username: 'system:admin',
    },
  };
};

describe('the holder of a join token for one cluster', () => {
  const denied = { code: 'Forbidden', message: expect.stringContaining('acts for cluster cluster2') };

  it('registers, watches and asks for that cluster and no other', async () => {
    const holder = hub.connect({ authorization: 'Bearer join-token' });
    const cluster = { metadata: { name: 'cluster2' }, spec: {} };
    const created = holder.publish(managedClusterCodec.encode(cluster, purpose('create_request')));
    await expect(created).rejects.toMatchObject(denied);
    const enveloped = forged(managedClusterCodec.encode(cluster, purpose('create_request')));
    await expect(holder.publish(enveloped)).rejects.toBeDefined();
    expect(await hub.plane.client.resource(managedClusters).find('cluster2')).toBeUndefined();
    const refused = await new Promise((onError) => {
      holder.subscribe(
        { clusterName: 'cluster2', dataType: dataTypes.managedClusters },
        { onSubscribed: () => onError('subscribed'), onEvent() {}, onError },
      );
    });
    expect(refused).toMatchObject(denied);
    const request = await csr('cluster2');
    await expect(
      holder.publish(certificateSigningRequestCodec.encode(request, purpose('create_request'))),
    ).rejects.toMatchObject(denied);
    const own = await csr('cluster1');
    await holder.publish(certificateSigningRequestCodec.encode(own, purpose('create_request')));
    const { items } = await hub.plane.client.resource(certificateSigningRequests).list();
    expect(items.map(({ metadata }) => metadata?.annotations)).toEqual([
      {
        [Annotation.CsrUser]: bootstrapUser,
        [Annotation.CsrGroups]: 'system:bootstrappers:managedcluster:cluster1',
      },
    ]);
    await hub.plane.client.resource(certificateSigningRequests).delete(items[0]?.metadata?.name ?? '');
  });
});

describe('a ManagedCluster', () => {
  it('is created by its agent, and never accepted by it [grpc-cloudevents 26.4-29]', async () => {
    const cluster = { metadata: { name: 'cluster1' }, spec: { hubAcceptsClient: true, leaseDurationSeconds: 60 } };
    const { received } = await follow(hub.bootstrap, dataTypes.managedClusters);
    await hub.bootstrap.publish(managedClusterCodec.encode(cluster, purpose('create_request')));
    expect((await hub.plane.client.resource(managedClusters).get('cluster1')).spec).toMatchObject({
      hubAcceptsClient: false,
      leaseDurationSeconds: 60,
    });
    await expect.poll(() => received.map(({ type }) => type.split('.').at(-1))).toEqual(['create_request']);
    const again = hub.bootstrap.publish(managedClusterCodec.encode(cluster, purpose('create_request')));
    await expect(again).rejects.toMatchObject({ code: 'AlreadyExists' });
  });

  it('gets its status from its agent, and a conflict if that is outdated [grpc-cloudevents 26.4-29]', async () => {
    const clusters = hub.plane.client.resource(managedClusters);
    const cluster = await clusters.get('cluster1');
    const reported = { ...cluster, status: { ...cluster.status, version: { kubernetes: 'v1.36.0' } } };
    await agent.publish(managedClusterCodec.encode(reported, purpose('update_request', 'status')));
    expect((await clusters.get('cluster1')).status?.version?.kubernetes).toBe('v1.36.0');
    const outdated = agent.publish(managedClusterCodec.encode(reported, purpose('update_request', 'status')));
    await expect(outdated).rejects.toMatchObject({ code: 'Conflict' });
  });

  it('gets the status of an agent that read it before something else was changed', async () => {
    const clusters = hub.plane.client.resource(managedClusters);
    const read = await clusters.get('cluster1');
    const seen = await follow(agent, dataTypes.managedClusters);
    await clusters.patch('cluster1', { type: 'merge', body: { metadata: { labels: { region: 'north' } } } });
    await expect.poll(() => seen.received.length).toBeGreaterThan(0);
    const reported = { ...read, status: { ...read.status, version: { kubernetes: 'v1.36.1' } } };
    await agent.publish(managedClusterCodec.encode(reported, purpose('update_request', 'status')));
    const stored = await clusters.get('cluster1');
    expect(stored.status?.version?.kubernetes).toBe('v1.36.1');
    expect(stored.metadata?.labels?.region).toBe('north');
  });

  it('gets nothing but its addresses from an update of its spec', async () => {
    const clusters = hub.plane.client.resource(managedClusters);
    const cluster = await clusters.get('cluster1');
    const managedClusterClientConfigs = [{ url: 'https://cluster1:6443' }];
    const spec = { ...cluster.spec, hubAcceptsClient: true, managedClusterClientConfigs };
    await agent.publish(managedClusterCodec.encode({ ...cluster, spec }, purpose('update_request')));
    expect((await clusters.get('cluster1')).spec).toMatchObject({
      hubAcceptsClient: false,
      managedClusterClientConfigs,
    });
  });

  it('gets the annotations of its agent from an update, and no others', async () => {
    const clusters = hub.plane.client.resource(managedClusters);
    const body = { metadata: { annotations: { 'agent.open-cluster-management.io/kept': 'yes' } } };
    const cluster = await clusters.patch('cluster1', { type: 'merge', body });
    const prefix = 'agent.open-cluster-management.io';
    const annotations = {
      [`${prefix}/registration-driver`]: 'grpc',
      [`${prefix}/cluster-identity`]: 'uid-1',
      [Annotation.HostingClusterName]: 'victim',
    };
    const update = (more: Record<string, string>) => {
      const metadata = { ...cluster.metadata, annotations: { ...cluster.metadata?.annotations, ...more } };
      return agent.publish(managedClusterCodec.encode({ ...cluster, metadata }, purpose('update_request')));
    };
    await update(annotations);
    const expected = {
      [`${prefix}/kept`]: 'yes',
      [`${prefix}/registration-driver`]: 'grpc',
      [`${prefix}/cluster-identity`]: 'uid-1',
    };
    const stored = async () => (await clusters.get('cluster1')).metadata?.annotations;
    expect(await stored()).toEqual(expected);
    const { received } = await follow(agent, dataTypes.managedClusters);
    await clusters.patch('cluster1', { type: 'merge', body: { metadata: { labels: { seen: 'yes' } } } });
    await expect.poll(() => received.length).toBeGreaterThan(0);
    await update({ [`${prefix}/cluster-identity`]: 'of another cluster' });
    expect(await stored()).toEqual(expected);
  });

  it('does not join a set without the permission of its caller', async () => {
    const metadata = { name: 'cluster2', labels: { [Label.ClusterSet]: 'production' } };
    const event = managedClusterCodec.encode({ metadata, spec: {} }, purpose('create_request'));
    await expect(hub.bootstrap.publish(event)).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it('does not say where its add-ons run without the permission of its caller', async () => {
    const metadata = { name: 'cluster2', annotations: { [Annotation.HostingClusterName]: 'victim' } };
    const event = managedClusterCodec.encode({ metadata, spec: {} }, purpose('create_request'));
    await expect(hub.bootstrap.publish(event)).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it('is listed for its own cluster, and nothing for an unknown one [grpc-cloudevents 26.4-30]', async () => {
    const known = await follow(hub.bootstrap, dataTypes.managedClusters);
    const unknown = await follow(hub.bootstrap, dataTypes.managedClusters, 'unknown');
    for (const clusterName of ['unknown', 'cluster1']) {
      const request = { clusterName, known: new Map<string, bigint>() };
      await hub.bootstrap.publish(createResyncRequest({ source: 'x', now: 0 }, dataTypes.managedClusters, request));
    }
    await expect.poll(() => known.received.length).toBeGreaterThan(0);
    expect(unknown.received).toEqual([]);
  });
});

describe('a CertificateSigningRequest', () => {
  it('names its caller and the identity of its cluster, and keeps no other annotation [grpc-cloudevents 26.4-31]', async () => {
    const { received } = await follow(hub.bootstrap, dataTypes.certificateSigningRequests);
    const asked = await csr('cluster1');
    const identity = { 'agent.open-cluster-management.io/cluster-identity': 'uid-1' };
    const annotations = { ...asked.metadata?.annotations, ...identity };
    const request = { ...asked, metadata: { ...asked.metadata, annotations } };
    await hub.bootstrap.publish(certificateSigningRequestCodec.encode(request, purpose('create_request')));
    const stored = await hub.plane.client.resource(certificateSigningRequests).get('cluster1-abcde');
    const caller = { 'open-cluster-management.io/csr-user': bootstrapUser };
    expect(stored.metadata?.annotations).toEqual({ ...caller, ...identity });
    expect(stored.spec.username).not.toBe('system:admin');
    await expect
      .poll(() => received.map((each) => certificateSigningRequestCodec.decode(each).metadata?.name))
      .toEqual(['cluster1-abcde']);
  });

  it('of another cluster is neither created nor seen [grpc-cloudevents 26.4-32]', async () => {
    const event = forged(certificateSigningRequestCodec.encode(await csr('cluster2'), purpose('create_request')));
    await expect(agent.publish(event)).rejects.toMatchObject({ code: 'Forbidden' });
    const { received } = await follow(agent, dataTypes.certificateSigningRequests);
    await hub.plane.client.resource(certificateSigningRequests).create(await csr('cluster2'));
    const request = { clusterName: 'cluster1', known: new Map<string, bigint>() };
    const resync = createResyncRequest({ source: 'x', now: 0 }, dataTypes.certificateSigningRequests, request);
    await agent.publish(resync);
    await expect.poll(() => received.length).toBe(1);
    expect(received.map((each) => certificateSigningRequestCodec.decode(each).metadata?.name)).toEqual([
      'cluster1-abcde',
    ]);
  });
});

describe('a lease', () => {
  const lease = (namespace: string, resourceVersion?: string) => ({
    metadata: {
      name: 'managed-cluster-lease',
      namespace,
      labels: { [Label.ClusterName]: namespace },
      ...(resourceVersion && { resourceVersion }),
    },
    spec: {
      holderIdentity: 'managed-cluster-lease',
      renewTime: `2026-01-01T00:00:0${resourceVersion ? 5 : 0}.000000Z`,
    },
  });

  it('is renewed by its cluster, and echoed [grpc-cloudevents 26.4-33]', async () => {
    const stored = await hub.plane.client.resource(leases).create(lease('cluster1'));
    const { received } = await follow(agent, dataTypes.leases);
    await agent.publish(
      leaseCodec.encode(lease('cluster1', stored.metadata?.resourceVersion), purpose('update_request')),
    );
    await expect.poll(() => received.map((event) => leaseCodec.decode(event).spec?.renewTime)).toHaveLength(1);
  });

  it('keeps its label and its holder: a cluster writes the time of its heartbeat only', async () => {
    const { metadata, spec } = await hub.plane.client.resource(leases).get('cluster1/managed-cluster-lease');
    const renewTime = '2026-01-01T00:00:09.000000Z';
    const written = {
      metadata: { ...metadata, labels: { [Label.ClusterName]: 'cluster2' }, annotations: { note: 'x' } },
      spec: { ...spec, holderIdentity: 'cluster2', renewTime },
    };
    await agent.publish(leaseCodec.encode(written, purpose('update_request')));
    const stored = await hub.plane.client.resource(leases).get('cluster1/managed-cluster-lease');
    expect(stored.metadata).toMatchObject({ labels: metadata?.labels });
    expect(stored.metadata?.annotations).toBeUndefined();
    expect(stored.spec).toEqual({ ...spec, renewTime });
  });

  it('of another cluster is not renewed, whatever the envelope says', async () => {
    const stored = await hub.plane.client.resource(leases).create(lease('cluster2'));
    const event = leaseCodec.encode(lease('cluster2', stored.metadata?.resourceVersion), purpose('update_request'));
    await expect(agent.publish(event)).rejects.toMatchObject({ code: 'Forbidden' });
    await expect(agent.publish(forged(event))).rejects.toMatchObject({ code: 'Forbidden' });
    const after = await hub.plane.client.resource(leases).get('cluster2/managed-cluster-lease');
    expect(after.metadata?.resourceVersion).toBe(stored.metadata?.resourceVersion);
  });

  it('is sent as gone when it is deleted [grpc-cloudevents 26.4-40]', async () => {
    const { received } = await follow(agent, dataTypes.leases);
    await hub.plane.client.resource(leases).delete('cluster1/managed-cluster-lease');
    await expect.poll(() => received.at(-1)?.type).toBe('coordination.k8s.io.v1.leases.spec.delete_request');
    expect(received.at(-1)?.extensions.deletiontimestamp).toBeInstanceOf(Date);
  });
});

describe('an event', () => {
  const reported = (series?: { count: number; lastObservedTime: string }, namespace = 'cluster1') => ({
    metadata: { name: 'e1', namespace },
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'agent',
    reportingInstance: 'agent-1',
    action: 'Join',
    reason: 'Joined',
    type: 'Normal',
    regarding: { kind: 'ManagedCluster', name: 'cluster1', namespace },
    ...(series && { series }),
  });

  it('is created, and its series counted [grpc-cloudevents 26.4-34]', async () => {
    await agent.publish(eventCodec.encode(reported(), purpose('create_request')));
    const series = { count: 2, lastObservedTime: '2026-01-01T00:01:00.000000Z' };
    await agent.publish(eventCodec.encode({ ...reported(series), reason: 'Forged' }, purpose('update_request')));
    const stored = await hub.plane.client.resource(events).get('cluster1/e1');
    expect(stored).toMatchObject({ reason: 'Joined', series: { count: 2 } });
  });

  it('is not created in the namespace of another cluster', async () => {
    const event = forged(eventCodec.encode(reported(undefined, 'cluster2'), purpose('create_request')));
    await expect(agent.publish(event)).rejects.toMatchObject({ code: 'Forbidden' });
    expect(await hub.plane.client.resource(events).find('cluster2/e1')).toBeUndefined();
  });
});

describe('an add-on', () => {
  it('gets its status from its agent, and is not created by it [grpc-cloudevents 26.4-35]', async () => {
    const addOns = hub.plane.client.resource(managedClusterAddOns);
    const stored = await addOns.create({ metadata: { name: 'a', namespace: 'cluster1' }, spec: {} });
    const reported = { ...stored, status: { ...stored.status, namespace: 'addon-ns' } };
    await agent.publish(managedClusterAddOnCodec.encode(reported, purpose('update_request', 'status')));
    expect((await addOns.get('cluster1/a')).status?.namespace).toBe('addon-ns');
    const created = agent.publish(managedClusterAddOnCodec.encode(stored, purpose('create_request')));
    await expect(created).rejects.toMatchObject({ code: 'MethodNotAllowed' });
  });
});

describe('a ManifestWork', () => {
  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } };
  const sequence = sequenceIds(realClock);
  const report = (work: ManifestWork, type: string, generation = work.metadata?.generation ?? 0) =>
    encodeBundleStatus(
      {
        ...work,
        metadata: { ...work.metadata, generation, labels: { [originalSourceLabel]: 'kube' } },
        status: {
          conditions: [{ type, status: 'True', reason: 'R', message: 'm', lastTransitionTime: '2026-01-01T00:00:00Z' }],
        },
      },
      { source: 'cluster1-work-agent', now: realClock.now() },
      sequence(),
    );

  it('[work 18.Q-224] is sent, reported on at the first attempt, and released when the agent has cleaned up [grpc-cloudevents 26.4-36, 26.4-38]', async () => {
    const works = hub.plane.client.resource(manifestWorks);
    const { received } = await follow(agent, dataTypes.manifestBundles);
    await works.create({
      metadata: { name: 'w', namespace: 'cluster1' },
      spec: { workload: { manifests: [manifest] } },
    });
    await expect.poll(() => received.length).toBe(1);
    const [event] = received;
    if (!event) throw new Error('no event');
    const work = decodeBundle(event);
    await agent.publish(report(work, 'Applied'));
    const stored = await works.get('cluster1/w');
    expect(stored.metadata?.finalizers).toEqual(['cluster.open-cluster-management.io/manifest-work-cleanup']);
    expect(stored.status?.conditions).toMatchObject([{ type: 'Applied' }]);
    // Neither the finalizer nor the status is news for the agent that caused them [grpc-cloudevents 26.4-39].
    await works.patch('cluster1/w', { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
    await expect.poll(() => received.length).toBe(2);

    await works.delete('cluster1/w');
    await expect.poll(() => received.at(-1)?.extensions.deletiontimestamp).toBeDefined();
    await agent.publish(report(work, 'Deleted'));
    await expect.poll(() => works.find('cluster1/w')).toBeUndefined();
    // A second report is of nothing.
    await agent.publish(report(work, 'Deleted'));
  });

  it('[work 18.Q-224] is not changed by a report on an older generation [grpc-cloudevents 26.4-37]', async () => {
    const works = hub.plane.client.resource(manifestWorks);
    const created = await works.create({
      metadata: { name: 'newer', namespace: 'cluster1' },
      spec: { workload: { manifests: [manifest] } },
    });
    const changed = { ...manifest, data: { a: 'b' } };
    const body = { spec: { workload: { manifests: [changed] } } };
    const before = await works.patch('cluster1/newer', { type: 'merge', body });
    await agent.publish(report(created, 'Applied', 1));
    const after = await works.get('cluster1/newer');
    expect(after.metadata?.resourceVersion).toBe(before.metadata?.resourceVersion);
  });

  it('of another cluster is not reported on, although its uid is known', async () => {
    const works = hub.plane.client.resource(manifestWorks);
    const other = await works.create({
      metadata: { name: 'other', namespace: 'cluster2' },
      spec: { workload: { manifests: [manifest] } },
    });
    await agent.publish(forged(report(other, 'Applied')));
    expect((await works.get('cluster2/other')).status).toBeUndefined();
  });
});

describe('a token', () => {
  const request = (namespace: string) => ({
    metadata: { name: 'addon-agent', namespace, uid: 'request-1' },
    spec: { expirationSeconds: 3600, audiences: null, boundObjectRef: null },
  });

  it('comes on the stream with the uid of its request [grpc-cloudevents 26.4-41]', async () => {
    await hub.plane.client
      .resource(serviceAccounts)
      .create({ metadata: { name: 'addon-agent', namespace: 'cluster1' } });
    const { received } = await follow(agent, dataTypes.tokenRequests);
    await agent.publish(tokenRequestCodec.encode(request('cluster1'), purpose('create_request')));
    await expect.poll(() => received.length).toBe(1);
    const [answer] = received.map(tokenRequestCodec.decode);
    expect(answer?.metadata?.uid).toBe('request-1');
    expect(answer?.status?.token).toMatch(/^ey/);
  });

  it('of another cluster or of no account is refused [grpc-cloudevents 26.4-41]', async () => {
    const event = forged(tokenRequestCodec.encode(request('cluster2'), purpose('create_request')));
    await expect(agent.publish(event)).rejects.toMatchObject({ code: 'Forbidden' });
    const unknown = { ...request('cluster1'), metadata: { ...request('cluster1').metadata, name: 'nobody' } };
    const missing = agent.publish(tokenRequestCodec.encode(unknown, purpose('create_request')));
    await expect(missing).rejects.toMatchObject({ code: 'NotFound' });
  });
});

describe('a caller', () => {
  const anyEvent = () =>
    leaseCodec.encode({ metadata: { name: 'a', namespace: 'cluster1' } }, purpose('update_request'));

  it('without credentials, or with a token that is none, is refused [grpc-cloudevents 26.6-53]', async () => {
    await expect(hub.connect({}).publish(anyEvent())).rejects.toMatchObject({ code: 'Unauthorized' });
    const wrong = hub.connect({ authorization: 'Bearer wrong' }).publish(anyEvent());
    await expect(wrong).rejects.toMatchObject({ code: 'Unauthorized', message: expect.stringContaining('token') });
  });

  it('that is the agent of another cluster is refused, although a role would permit it', async () => {
    await hub.permit('cluster3', true);
    const other = await hub.agent('cluster3');
    await expect(other.publish(anyEvent())).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it.each(['resync_response', 'delete_request', 'watch_request'])(
    'is refused the action %s [grpc-cloudevents 26.4-28]',
    async (action) => {
      const event = { ...anyEvent(), type: `coordination.k8s.io.v1.leases.spec.${action}` };
      await expect(agent.publish(event)).rejects.toMatchObject({ code: 'Forbidden' });
    },
  );

  it('loses its streams within seconds when its cluster is denied', async () => {
    await hub.permit('cluster4', true);
    const cluster = { metadata: { name: 'cluster4' }, spec: { hubAcceptsClient: true } };
    await hub.plane.client.resource(managedClusters).create(cluster);
    const { errors } = await follow(await hub.agent('cluster4'), dataTypes.manifestBundles, 'cluster4');
    await hub.permit('cluster4', false);
    const body = { spec: { hubAcceptsClient: false } };
    await hub.plane.client.resource(managedClusters).patch('cluster4', { type: 'merge', body });
    await expect.poll(() => errors[0]?.code, { timeout: 5000 }).toBe('Forbidden');
  });

  it('loses its streams within seconds when its rights are taken, whatever happens to its cluster', async () => {
    await hub.permit('cluster5', true);
    const { errors } = await follow(await hub.agent('cluster5'), dataTypes.manifestBundles, 'cluster5');
    await hub.permit('cluster5', false);
    await expect.poll(() => errors[0]?.code, { timeout: 5000 }).toBe('Forbidden');
  });

  it('loses its streams when its certificate ends', async () => {
    const brief = await hub.agent('cluster2', 3000);
    const { errors } = await follow(brief, dataTypes.leases, 'cluster2');
    await expect.poll(() => errors[0]?.code, { timeout: 15_000 }).toBe('Unauthorized');
  });
});

describe('a server whose caches are not filled', () => {
  it('does not listen: an agent would take an empty cache for deletions', async () => {
    const { promise: filled, resolve: fill } = Promise.withResolvers<void>();
    const { transport } = hub.plane.client;
    const slow = {
      ...transport,
      accessChanged: transport.accessChanged,
      async request(request: KubeRequest) {
        if (request.path.includes('/manifestworks')) await filled;
        return transport.request(request);
      },
      stream: (request: KubeRequest) => transport.stream(request),
      close: async () => {},
    };
    const client = createKubeClient({ transport: slow });
    const serving = await issueCertificate(hub.authority, { usage: 'server', hosts: ['127.0.0.1'] }, realClock);
    let isListening = false;
    const starting = serveHub(client, { ...serving, clientCa: hub.authority.certificate }).then((server) => {
      isListening = true;
      return server;
    });
    // The other caches are filled meanwhile.
    await hub.plane.client.resource(manifestWorks).list();
    expect(isListening).toBe(false);
    fill();
    await using server = await starting;
    expect(server.port).toBeGreaterThan(0);
  });
});
