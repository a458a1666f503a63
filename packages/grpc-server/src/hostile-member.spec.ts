import { gzipSync } from 'node:zlib';
import { Annotation, Label, manifestWorks } from '@flotilla/api-types';
import {
  type CloudEvent,
  type CloudEventsClient,
  certificateSigningRequestCodec,
  createResyncRequest,
  dataTypes,
  encodeBundleStatus,
  eventCodec,
  leaseCodec,
  originalSourceLabel,
  tokenRequestCodec,
} from '@flotilla/cloudevents';
import { KubeError, realClock } from '@flotilla/kube';
import { certificateSigningRequests, leases, serviceAccounts } from '@flotilla/kube/kinds';
import { generateKeys, keyAlgorithm, loadX509 } from '@flotilla/kube/pki';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SpecHub, startSpecHub } from './fixtures/hub.ts';
import { clusterQuotas, clusterRates } from './limits.ts';

/*
 * Goal: a member that tries each way to take memory or time of the hub is refused with the name of the limit that it has used up, and another
 * member notices nothing. Method: one server, a client for each; after each attack the honest member does all that an agent does.
 */

const purpose = (cluster: string, action: 'create_request' | 'update_request' = 'update_request') =>
  ({ source: cluster, now: realClock.now(), subresource: 'spec', action }) as const;
const lease = (namespace: string, name: string, more: object = {}) => ({
  metadata: { name, namespace, labels: { [Label.ClusterName]: namespace }, ...more },
  spec: { holderIdentity: name },
});

let hub: SpecHub;
let hostile: CloudEventsClient;
let honest: CloudEventsClient;
beforeAll(async () => {
  hub = await startSpecHub();
  hostile = await hub.agent('cluster1');
  honest = await hub.agent('cluster2');
  await hub.plane.client.resource(leases).create(lease('cluster2', 'managed-cluster-lease'));
  await hub.plane.client.resource(serviceAccounts).create({ metadata: { name: 'agent', namespace: 'cluster1' } });
});
afterAll(() => hub?.[Symbol.asyncDispose]());

/** All that a member sends in a minute: its heartbeat, and a resync of each kind. */
async function livesOn(): Promise<void> {
  const { metadata } = await hub.plane.client.resource(leases).get('cluster2/managed-cluster-lease');
  const { resourceVersion } = metadata ?? {};
  const heartbeat = lease('cluster2', 'managed-cluster-lease', { resourceVersion });
  await honest.publish(leaseCodec.encode(heartbeat, purpose('cluster2')));
  const request = { clusterName: 'cluster2', known: new Map<string, bigint>() };
  const kinds = [
    dataTypes.leases,
    dataTypes.managedClusters,
    dataTypes.manifestBundles,
    dataTypes.managedClusterAddOns,
  ];
  for (const dataType of kinds) {
    await honest.publish(createResyncRequest({ source: 'cluster2', now: realClock.now() }, dataType, request));
  }
}

/** The limits that so many events meet, until it is the one that is wanted. Events that are refused for another reason do not count. */
async function limitsMet(wanted: string, count: number, event: (index: number) => CloudEvent): Promise<Set<string>> {
  const met = new Set<string>();
  const publish = async (index: number) => {
    try {
      await hostile.publish(event(index));
    } catch (error) {
      const limit = /cluster cluster1 has used up its limit \\?"(\w+)/.exec((error as Error).message)?.[1];
      if (limit) met.add(limit);
    }
  };
  // A busy machine refills this budget meanwhile, and a fast one has not yet refilled those that an earlier attack used up: send more then.
  for (let index = 0; index < count || (!met.has(wanted) && index < 40 * count); index += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, offset) => publish(index + offset)));
  }
  return met;
}

const resync = () =>
  createResyncRequest({ source: 'cluster1', now: realClock.now() }, dataTypes.manifestBundles, {
    clusterName: 'cluster1',
    known: new Map(),
  });
const request = (index: number) =>
  certificateSigningRequestCodec.encode(
    {
      metadata: { name: `forged-${index}`, labels: { [Label.ClusterName]: 'cluster1' } },
      spec: { request: 'x', signerName: 'example.com/x', usages: ['client auth'] },
    },
    purpose('cluster1', 'create_request'),
  );
const recorded = (index: number) =>
  eventCodec.encode(
    {
      metadata: { name: `e${index}`, namespace: 'cluster1' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'a',
      reportingInstance: 'a',
      action: 'a',
      reason: 'a',
      type: 'Normal',
      regarding: { kind: 'ManagedCluster', name: 'cluster1', namespace: 'cluster1' },
    },
    purpose('cluster1', 'create_request'),
  );
const token = (index: number) =>
  tokenRequestCodec.encode(
    { metadata: { name: 'agent', namespace: 'cluster1', uid: `u${index}` }, spec: { expirationSeconds: 3600 } },
    purpose('cluster1', 'create_request'),
  );

describe('a hostile member is refused, and an honest one notices nothing, when the hostile one', () => {
  it.each<[string, string, number, (index: number) => CloudEvent]>([
    ['asks for all that it has again and again', 'resyncs', clusterRates.resyncs.burst + 20, resync],
    [
      'names leases at random, for each of which the API server is asked',
      'decisions',
      clusterRates.decisions.burst + 200,
      (index) => leaseCodec.encode(lease('cluster1', `lease-${index}`), purpose('cluster1')),
    ],
    ['asks for certificates', 'requests', clusterRates.requests.burst + 20, request],
    ['records Events', 'recorded', clusterRates.recorded.burst + 100, recorded],
    ['asks for tokens', 'tokens', clusterRates.tokens.burst + 60, token],
  ])('%s', async (_, limit, count, event) => {
    expect(await limitsMet(limit, count, event)).toContain(limit);
    await livesOn();
  });

  it('creates requests through the API that are labelled with the name of another cluster', async () => {
    const user = 'system:open-cluster-management:cluster1:agent1';
    const member = hub.plane.clientOf({ name: user, groups: ['system:open-cluster-management:cluster1'] });
    const { Pkcs10CertificateRequestGenerator } = await loadX509();
    const options = { name: 'CN=a', keys: await generateKeys(), signingAlgorithm: keyAlgorithm };
    const pem = (await Pkcs10CertificateRequestGenerator.create(options)).toString('pem');
    const named = (name: string, annotations: Record<string, string> = {}) => ({
      metadata: { name, labels: { [Label.ClusterName]: 'cluster2' }, annotations },
      spec: { request: btoa(pem), signerName: 'open-cluster-management.io/grpc', usages: ['client auth'] },
    });
    const seen: (string | undefined)[] = [];
    const dataType = dataTypes.certificateSigningRequests;
    await new Promise<void>((onSubscribed, onError) => {
      const onEvent = (event: CloudEvent) =>
        void seen.push(certificateSigningRequestCodec.decode(event).metadata?.name);
      honest.subscribe({ clusterName: 'cluster2', dataType }, { onSubscribed, onEvent, onError });
    });
    const forgery = { [Annotation.CsrUser]: 'system:open-cluster-management:cluster2:agent1' };
    const requests = member.resource(certificateSigningRequests);
    for (let index = 0; index < clusterQuotas.storedRequests.max; index += 1) {
      await requests.create(named(`cluster2-forged-${index}`, forgery));
    }
    const ask = (name: string) =>
      honest.publish(certificateSigningRequestCodec.encode(named(name), purpose('cluster2', 'create_request')));
    await ask('cluster2-first');
    // Once it is seen, the server has seen all that were created before, and sends none of them.
    await expect.poll(() => seen).toEqual(['cluster2-first']);
    await ask('cluster2-second');
    await livesOn();
  });

  it('opens streams', async () => {
    const client = await hub.agent('cluster1');
    const errors: string[] = [];
    let open = 0;
    for (let index = 0; index < clusterQuotas.streams.max + 5; index += 1) {
      const onSubscribed = () => (open += 1);
      client.subscribe(
        { clusterName: 'cluster1', dataType: dataTypes.leases },
        { onSubscribed, onEvent() {}, onError: ({ message }) => errors.push(message) },
      );
    }
    await expect.poll(() => open).toBe(clusterQuotas.streams.max);
    await expect.poll(() => errors.find((message) => message.includes('its limit "streams"'))).toBeDefined();
    await livesOn();
    await client.close();
  });

  it('opens connections', async () => {
    const { max } = clusterQuotas.connections;
    const clients = await Promise.all(Array.from({ length: max + 3 }, () => hub.agent('cluster1')));
    const event = leaseCodec.encode(lease('cluster1', 'lease-1'), purpose('cluster1'));
    const outcomes = await Promise.allSettled(clients.map((client) => client.publish(event)));
    const refused = outcomes.filter(
      (each) => each.status === 'rejected' && /limit .*connections/.test(`${each.reason}`),
    );
    // The one of the other tests is open, too.
    expect(refused).toHaveLength(4);
    await livesOn();
    await Promise.all(clients.map((client) => client.close()));
  });

  it.each<[string, () => CloudEvent, RegExp]>([
    [
      'sends more than a lease can have',
      () => leaseCodec.encode(lease('cluster1', 'a', { annotations: { a: 'x'.repeat(20_000) } }), purpose('cluster1')),
      /has 20\d+ bytes, and may have 16384/,
    ],
    [
      'sends little that unpacks to much',
      () => {
        const event = leaseCodec.encode(lease('cluster1', 'a'), purpose('cluster1'));
        const data = gzipSync(Buffer.alloc(1024 * 1024));
        return { ...event, extensions: { ...event.extensions, dataencoding: 'gzip' }, data };
      },
      /cannot be decompressed to at most 16384 bytes/,
    ],
    [
      'gives an event a long id, by which its answer would be kept',
      () => ({ ...leaseCodec.encode(lease('cluster1', 'a'), purpose('cluster1')), id: 'x'.repeat(1000) }),
      /the id has 1000 characters, and may have 253/,
    ],
    [
      'gives an object a long id, by which it would wait for a reader',
      () => {
        const known = new Map([['x'.repeat(1000), 1n]]);
        const origin = { source: 'cluster1', now: realClock.now() };
        return createResyncRequest(origin, dataTypes.manifestBundles, { clusterName: 'cluster1', known });
      },
      /needs a resourceID of at most 253 characters|limit \\?"resyncs/,
    ],
    [
      'says that it has a million objects',
      () => {
        const known = new Map(Array.from({ length: 25_000 }, (_, index) => [`u${index}`, 1n] as const));
        const origin = { source: 'cluster1', now: realClock.now() };
        return createResyncRequest(origin, dataTypes.manifestBundles, { clusterName: 'cluster1', known });
      },
      /about 25000 objects, and may be about 20000|limit \\?"resyncs/,
    ],
  ])('%s', async (_, event, message) => {
    await expect(hostile.publish(event())).rejects.toThrow(message);
    await livesOn();
  });

  it('reports statuses that are large together', async () => {
    const works = hub.plane.client.resource(manifestWorks);
    const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } };
    const message = 'x'.repeat(32_000);
    const manifests = Array.from({ length: 28 }, (_, ordinal) => ({
      resourceMeta: { ordinal, name: `a${ordinal}` },
      statusFeedback: {},
      conditions: [
        { type: 'Applied', status: 'True', reason: 'R', message, lastTransitionTime: '2026-01-01T00:00:00Z' } as const,
      ],
    }));
    const refused: unknown[] = [];
    for (let index = 0; index < 40 && refused.length === 0; index += 1) {
      const work = await works.create({
        metadata: { name: `w${index}`, namespace: 'cluster1' },
        spec: { workload: { manifests: [manifest] } },
      });
      const labels = { [originalSourceLabel]: 'kube' };
      const reported = { ...work, metadata: { ...work.metadata, labels }, status: { resourceStatus: { manifests } } };
      const event = encodeBundleStatus(reported, { source: 'cluster1', now: realClock.now() }, `${index}`);
      await hostile.publish(event).catch((error: unknown) => refused.push(error));
    }
    expect(refused).toEqual([expect.any(KubeError)]);
    expect(String(refused[0])).toMatch(/limit \\?"largeStatusBytes/);
    await livesOn();
  });
});
