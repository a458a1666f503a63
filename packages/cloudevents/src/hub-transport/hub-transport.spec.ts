import { type ManagedCluster, type ManifestWork, managedClusters, manifestWorks } from '@flotilla/api-types';
import { createKubeClient } from '@flotilla/kube';
import { createToken } from '@flotilla/kube/kinds';
import { FakeClock } from '@flotilla/kube/testing';
import { NEVER } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import type { CloudEventsClient } from '../client/client.ts';
import type { SubscriptionHandlers } from '../client/subscription.ts';
import { managedClusterCodec } from '../codecs/codecs.ts';
import { decodeBundleStatus, encodeBundle } from '../codecs/manifest-bundle.ts';
import { tokenRequestCodec } from '../codecs/token-request.ts';
import type { CloudEvent } from '../event/cloud-event.ts';
import { createHeartbeat } from '../event/create-event.ts';
import { formatDataType } from '../event/data-type.ts';
import { parseEventType } from '../event/event-type.ts';
import { parseResyncRequest, type ResyncRequest } from '../resync/resync-request.ts';
import { createHubTransport } from './hub-transport.ts';

const cleanup = 'cluster.open-cluster-management.io/manifest-work-cleanup';
const work: ManifestWork = {
  metadata: { namespace: 'c1', name: 'w', uid: 'u1', generation: 1 },
  spec: { workload: { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm' } }] } },
};
const cluster: ManagedCluster = {
  metadata: { name: 'c1', uid: 'u2', resourceVersion: '7', labels: { region: 'north' } },
  spec: { hubAcceptsClient: true },
};
const purpose = { source: 'kube', now: 0, subresource: 'spec', action: 'update_request' } as const;
const known: readonly CloudEvent[] = [encodeBundle(work, purpose), managedClusterCodec.encode(cluster, purpose)];

/** A client over a hub that has one cluster and one work, and what it published. */
function play(
  answer: (event: CloudEvent, send: (event: CloudEvent) => void) => void = () => {},
  existing: readonly CloudEvent[] = known,
) {
  const clock = new FakeClock();
  const published: CloudEvent[] = [];
  const requests: ResyncRequest[] = [];
  const streams = new Map<string, SubscriptionHandlers>();
  const client: CloudEventsClient = {
    async publish(event) {
      const { dataType, action } = parseEventType(event.type);
      const handlers = streams.get(formatDataType(dataType));
      if (action === 'resync_request') {
        requests.push(parseResyncRequest(event));
        const listed = existing.filter(
          ({ type }) => formatDataType(parseEventType(type).dataType) === formatDataType(dataType),
        );
        for (const each of listed) handlers?.onEvent(each);
        handlers?.onHeartbeat?.(createHeartbeat(event.id));
        return;
      }
      published.push(event);
      answer(event, (reply) => handlers?.onEvent(reply));
    },
    subscribe({ dataType }, handlers) {
      streams.set(formatDataType(dataType), handlers);
      queueMicrotask(() => handlers.onSubscribed());
      return () => streams.delete(formatDataType(dataType));
    },
    forward: () => Promise.reject(new Error('nothing is forwarded here')),
    tunnel: () => Promise.reject(new Error('nothing is forwarded here')),
    accessChanged: NEVER,
    close: async () => {},
  };
  const kube = createKubeClient({ transport: createHubTransport({ client, clusterName: 'c1', clock }), clock });
  opened.push(kube);
  const send = (event: CloudEvent) => streams.get(formatDataType(parseEventType(event.type).dataType))?.onEvent(event);
  return { kube, works: kube.resource(manifestWorks), clock, published, requests, send };
}
const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const kube of opened.splice(0)) await kube.close();
});

/** A patch of the finalizers, from an object that was read in this version. */
const finalizersFrom = (resourceVersion: string | undefined, finalizers: string[] = [cleanup]) =>
  ({ type: 'merge', body: { metadata: { resourceVersion, finalizers } } }) as const;

describe('a patch of a ManifestWork', () => {
  it.each<[string, (current: string) => string, 'is stored' | 'Conflict']>([
    ['the version that is there', (current) => current, 'is stored'],
    ['any version', () => '0', 'is stored'],
    ['an older version', (current) => String(Number(current) - 1), 'Conflict'],
    ['no version', () => '', 'Conflict'],
  ])('[work 18.Q-220] for %s: %s [grpc-cloudevents 26.5-47]', async (_, version, outcome) => {
    const { works, published } = play();
    const { metadata } = await works.get('c1/w');
    const patched = works.patch('c1/w', finalizersFrom(version(metadata?.resourceVersion ?? '')));
    if (outcome === 'is stored') expect((await patched).metadata?.finalizers).toEqual([cleanup]);
    else await expect(patched).rejects.toMatchObject({ code: outcome });
    expect(published).toEqual([]);
  });

  it('[work 18.Q-221] is refused for another part than the status [grpc-cloudevents 26.5-47]', async () => {
    const { kube } = play();
    const request = kube.transport.request({
      method: 'PATCH',
      path: '/apis/work.open-cluster-management.io/v1/namespaces/c1/manifestworks/w/scale',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: '{}',
    });
    await expect(request).rejects.toMatchObject({ status: 405 });
  });

  it('[work 18.Q-221] is a conflict if another one from the same read was first [grpc-cloudevents 26.5-49]', async () => {
    const { works } = play();
    const read = (await works.get('c1/w')).metadata?.resourceVersion;
    const outcomes = await Promise.allSettled([
      works.patch('c1/w', finalizersFrom(read, ['first'])),
      works.patch('c1/w', finalizersFrom(read, ['second'])),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect((await works.get('c1/w')).metadata?.finalizers).toEqual(['first']);
  });
});

describe('a ManifestWork without finalizers', () => {
  it('[work 18.Q-222] is reported as deleted and forgotten at once if it is being deleted [grpc-cloudevents 26.5-48]', async () => {
    const { works, published, send } = play();
    await works.patch('c1/w', finalizersFrom(undefined));
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    send(encodeBundle({ ...work, metadata: { ...work.metadata, generation: 2, deletionTimestamp } }, purpose));
    expect((await works.get('c1/w')).metadata?.finalizers).toEqual([cleanup]);
    expect(published).toEqual([]);
    await works.patch('c1/w', finalizersFrom(undefined, []));
    const [report] = published.map(decodeBundleStatus);
    expect(report?.status.conditions).toMatchObject([{ type: 'Deleted', status: 'True', reason: 'ManifestsDeleted' }]);
    expect(await works.find('c1/w')).toBeUndefined();
  });

  it('[work 18.Q-222] stays if it is not being deleted [grpc-cloudevents 26.5-48]', async () => {
    const { works, published } = play();
    await works.patch('c1/w', finalizersFrom(undefined, []));
    expect(await works.find('c1/w')).toBeDefined();
    expect(published).toEqual([]);
  });
});

describe('a ManagedCluster', () => {
  it('that is known exists already, which the hub is not asked about [grpc-cloudevents 26.5-50]', async () => {
    const { kube, published } = play();
    const clusters = kube.resource(managedClusters);
    await clusters.get('c1');
    const created = clusters.create({ metadata: { name: 'c1' }, spec: {} });
    await expect(created).rejects.toMatchObject({ code: 'AlreadyExists' });
    expect(published).toEqual([]);
  });

  it('is published whole when its status is patched, in the version of the hub [grpc-cloudevents 26.5-50]', async () => {
    const status = { version: { kubernetes: 'v1.36.0' } };
    const { kube, published } = play((event, send) => {
      const object = managedClusterCodec.decode(event);
      send(managedClusterCodec.encode({ ...object, metadata: { ...object.metadata, resourceVersion: '8' } }, purpose));
    });
    await kube.resource(managedClusters).status.patch('c1', { type: 'merge', body: { status } });
    const [event] = published;
    expect(event?.type).toBe('cluster.open-cluster-management.io.v1.managedclusters.status.update_request');
    expect(event && managedClusterCodec.decode(event)).toMatchObject({ ...cluster, status });
  });
});

describe('an object of a server before v1.3, which calls it by its name', () => {
  const byName = (event: CloudEvent): CloudEvent => ({
    ...event,
    extensions: { ...event.extensions, resourceid: 'c1' },
  });
  const encoded = managedClusterCodec.encode(cluster, purpose);

  it('is asked for by its name, so that the server does not take it for gone', async () => {
    const { kube, requests } = play(() => {}, [byName(encoded)]);
    await kube.resource(managedClusters).get('c1');
    await kube.transport.request({ method: 'GET', path: '/readyz' });
    expect(requests.map(({ known: asked }) => [...asked])).toEqual([[], [['c1', 7n]]]);
  });

  it('is gone when that server says so', async () => {
    const { kube, send } = play(() => {}, [byName(encoded)]);
    await kube.resource(managedClusters).get('c1');
    send(byName(managedClusterCodec.encodeGone(cluster, { ...purpose, action: 'delete_request' })));
    expect(await kube.resource(managedClusters).find('c1')).toBeUndefined();
  });
});

describe('a token', () => {
  const asked = { expirationSeconds: 3600 };

  it('is that of the answer with the uid of its request [grpc-cloudevents 26.5-51]', async () => {
    const expirationTimestamp = '2026-01-01T01:00:00Z';
    const { kube, published } = play((event, send) => {
      const request = tokenRequestCodec.decode(event);
      const reply = (uid: string | undefined, token: string) => {
        const metadata = { ...request.metadata, uid };
        send(
          tokenRequestCodec.encode(
            { ...request, metadata, status: { token, expirationTimestamp } },
            { ...purpose, action: 'create_request' },
          ),
        );
      };
      reply('of-another-request', 'another');
      reply(request.metadata?.uid, 'secret');
    });
    expect(await createToken(kube, 'c1/addon-agent', asked)).toMatchObject({ token: 'secret', expirationTimestamp });
    const [request] = published.map(tokenRequestCodec.decode);
    expect(request?.metadata).toMatchObject({ name: 'addon-agent', namespace: 'c1' });
  });

  it('is given up when the server is silent [grpc-cloudevents 26.5-51]', async () => {
    const { kube, clock } = play();
    const token = createToken(kube, 'c1/addon-agent', asked);
    const outcome = expect(token).rejects.toMatchObject({ code: 'Timeout' });
    await clock.settle();
    await clock.advance(10_000);
    await outcome;
  });
});
