import { describe, expect, it } from 'vitest';
import { leaseCodec } from '../codecs/codecs.ts';
import { decodeBundle, encodeBundle } from '../codecs/manifest-bundle.ts';
import { type CloudEvent, dataText } from '../event/cloud-event.ts';
import { dataTypes } from '../event/data-type.ts';
import { comparable, published, streamed } from '../event/fixtures/messages.ts';
import { wireExamples } from '../event/fixtures/wire-examples.ts';
import { metadataDigest } from './metadata-digest.ts';
import { createResyncRequest, parseResyncRequest } from './resync-request.ts';
import { resyncResponses } from './resync-response.ts';
import { parseStatusResync, staleStatuses } from './status-resync.ts';

const now = Date.parse('2026-01-01T00:00:05Z');
const listed = (uid: string, resourceVersion: string, deletionTimestamp?: string): CloudEvent =>
  leaseCodec.encode(
    {
      metadata: {
        name: uid,
        namespace: 'cluster1',
        uid,
        resourceVersion,
        ...(deletionTimestamp && { deletionTimestamp }),
      },
    },
    { source: 'kube', now, subresource: 'spec', action: 'create_request' },
  );
const respond = (events: readonly CloudEvent[], known: Record<string, bigint>) =>
  resyncResponses(dataTypes.leases, events, { clusterName: 'cluster1', known: new Map(Object.entries(known)) }, now);
const ids = (events: readonly CloudEvent[]) => events.map(({ extensions }) => extensions.resourceid);

describe('the request for a resync', () => {
  it('is the event of an agent of OCM', () => {
    const example = published(wireExamples.resyncBundles);
    const request = parseResyncRequest(example);
    expect(request.known).toEqual(new Map([['6f0c1f6e-2a51-4d0e-9d0c-0c6a2f9b1a03', 1n]]));
    const event = createResyncRequest({ source: 'cluster1-work-agent', now }, dataTypes.manifestBundles, request);
    expect(comparable(event)).toEqual(comparable(example));
  });

  it('has an empty list for an agent that has nothing, and all digits of a version [grpc-cloudevents 26.3-26]', () => {
    const text = (known: Map<string, bigint>) =>
      dataText(createResyncRequest({ source: 'a', now }, dataTypes.leases, { clusterName: 'a', known }));
    expect(text(new Map())).toBe('{"resourceVersions":[]}');
    expect(text(new Map([['u', 9007199254740993n]]))).toContain('9007199254740993');
  });

  const withData = (text: string): CloudEvent => ({
    ...published(wireExamples.resyncBundles),
    data: new TextEncoder().encode(text),
  });
  it.each([
    '{}',
    '[]',
    '',
    '{"resourceVersions":[{}]}',
    '{"resourceVersions":[{"resourceID":"a","resourceVersion":"1"}]}',
  ])('is refused with the data %j', (text) =>
    expect(() => parseResyncRequest(withData(text))).toThrow(/resourceVersions|data is not/),
  );
});

describe('the answer to a resync', () => {
  it('[work 18.Q-223] is all objects for an agent that has none [grpc-cloudevents 26.3-20]', () => {
    expect(ids(respond([listed('a', '1'), listed('b', '2'), listed('c', '3')], {}))).toEqual(['a', 'b', 'c']);
  });

  it('[work 18.Q-223] is nothing for an agent that has the same [grpc-cloudevents 26.3-21]', () => {
    expect(respond([listed('a', '5')], { a: 5n })).toEqual([]);
  });

  it('[work 18.Q-223] is the object that the agent has in an older version [grpc-cloudevents 26.3-22]', () => {
    expect(respond([listed('a', '6')], { a: 5n })).toMatchObject([
      { type: 'coordination.k8s.io.v1.leases.spec.resync_response', extensions: { resourceversion: '6' } },
    ]);
  });

  it('knows objects by name for agents of OCM before v1.3, which know them so', () => {
    const lease = leaseCodec.encode(
      { metadata: { name: 'by-name', namespace: 'cluster1', uid: 'u', resourceVersion: '6' } },
      { source: 'kube', now, subresource: 'spec', action: 'create_request' },
    );
    expect(respond([lease], { 'by-name': 6n })).toEqual([]);
    expect(ids(respond([lease], { 'by-name': 5n }))).toEqual(['u']);
    expect(ids(respond([lease], { 'by-name': 6n, other: 1n }))).toEqual(['other']);
  });

  it('[work 18.Q-223] is a deletion for what only the agent has, as a server of OCM sends it [grpc-cloudevents 26.3-23]', () => {
    const uid = '6f0c1f6e-2a51-4d0e-9d0c-0c6a2f9b1a02';
    const [gone] = respond([], { [uid]: 5n });
    expect(gone && comparable(gone)).toEqual(comparable(streamed(wireExamples.goneLease)));
  });

  it('is a deletion with its version for a ManifestWork, which an agent does not read without', () => {
    const known = new Map([['u', 3n]]);
    const [gone] = resyncResponses(dataTypes.manifestBundles, [], { clusterName: 'cluster1', known }, now);
    expect(gone && decodeBundle(gone).metadata).toMatchObject({ uid: 'u', generation: 3, namespace: 'cluster1' });
  });

  it('has what is being deleted, whatever version the agent has [grpc-cloudevents 26.3-24]', () => {
    expect(ids(respond([listed('a', '5', '2026-01-01T00:00:00Z')], { a: 9n }))).toEqual(['a']);
  });

  it('is three events for newer, equal, new and gone [grpc-cloudevents 26.3-25]', () => {
    const events = respond([listed('newer', '2'), listed('equal', '1'), listed('new', '1')], {
      newer: 1n,
      equal: 1n,
      gone: 1n,
    });
    expect(ids(events)).toEqual(['newer', 'new', 'gone']);
  });
});

describe('[work 18.Q-223] a resync of statuses [grpc-cloudevents 26.3-27]', () => {
  const hashes = (text: string) =>
    parseStatusResync({ id: '', source: '', type: '', extensions: {}, data: new TextEncoder().encode(text) });
  const identify = (uid: string) => ({ uid, hash: `hash of ${uid}` });

  it.each([
    ['all for an empty list', [], ['a', 'b']],
    ['the one whose hash differs', [{ resourceID: 'a', statusHash: 'other' }], ['a']],
    ['none if the hash is the same', [{ resourceID: 'a', statusHash: 'hash of a' }], []],
  ])('reports %s', (_, statusHashes, expected) => {
    expect(staleStatuses(['a', 'b'], hashes(JSON.stringify({ statusHashes })), identify)).toEqual(expected);
  });

  it('is refused if it is not a list of hashes', () => {
    expect(() => hashes('{}')).toThrow(/statusHashes/);
    expect(() => hashes('{"statusHashes":[{"resourceID":1}]}')).toThrow(/statusHashes\[0\]/);
  });
});

describe('labels and annotations of a ManifestWork, which its version says nothing about', () => {
  const work = (labels: Record<string, string>) => ({
    metadata: { name: 'w', namespace: 'cluster1', uid: 'u', generation: 1, labels },
    spec: { workload: { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }] } },
  });
  const onHub = [
    encodeBundle(work({ a: '2' }), { source: 'kube', now, subresource: 'spec', action: 'create_request' }),
  ];
  /** What a hub sends to an agent that knows a work with these labels. */
  const answer = (digests?: Map<string, string>) => {
    const known = new Map([['u', 1n]]);
    const request = { clusterName: 'cluster1', known, ...(digests && { digests }) };
    const event = createResyncRequest({ source: 'a', now }, dataTypes.manifestBundles, request);
    return resyncResponses(dataTypes.manifestBundles, onHub, parseResyncRequest(event), now);
  };

  it('are sent again to an agent that missed a change of them', () => {
    expect(answer(new Map([['u', metadataDigest({ labels: { a: '1' } })]]))).toHaveLength(1);
    expect(answer(new Map([['u', metadataDigest({ labels: { a: '2' } })]]))).toEqual([]);
  });

  it('are not sent again for the marks of an agent, nor to one of OCM, which does not say what it knows', () => {
    const marked = { a: '2', 'cloudevents.open-cluster-management.io/originalsource': 'kube' };
    expect(answer(new Map([['u', metadataDigest({ labels: marked })]]))).toEqual([]);
    expect(answer()).toEqual([]);
  });
});
