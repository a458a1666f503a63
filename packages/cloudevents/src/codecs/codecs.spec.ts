import { Label } from '@flotilla/api-types';
import { parseJson } from '@flotilla/kube/meta';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CloudEvent } from '../event/cloud-event.ts';
import { comparable, published } from '../event/fixtures/messages.ts';
import { wireExamples } from '../event/fixtures/wire-examples.ts';
import { MalformedEvent } from '../event/malformed.ts';
import {
  certificateSigningRequestCodec,
  eventCodec,
  leaseCodec,
  managedClusterAddOnCodec,
  managedClusterAddOnV1Alpha1Codec,
  managedClusterCodec,
} from './codecs.ts';
import { tokenRequestCodec } from './token-request.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const created = { source: 'cluster1', now, subresource: 'spec', action: 'create_request' } as const;
const updated = { ...created, action: 'update_request' } as const;

describe("an agent's event is that of an agent of OCM", () => {
  it('for a new ManagedCluster', () => {
    const cluster = { metadata: { name: 'cluster1' }, spec: { hubAcceptsClient: false }, status: undefined };
    const expected = published(wireExamples.createCluster);
    const { data, ...rest } = comparable(managedClusterCodec.encode(cluster, created)) as { data: object };
    expect({ ...rest, data: { ...data, status: { conditions: null, version: {} } } }).toEqual(comparable(expected));
  });

  it('for a CertificateSigningRequest', () => {
    const event = published(wireExamples.createRequest);
    const request = certificateSigningRequestCodec.decode(event);
    expect(comparable(certificateSigningRequestCodec.encode(request, created))).toEqual(comparable(event));
  });

  it('for a heartbeat, whose version is a string [grpc-cloudevents 26.1-5]', () => {
    const event = published(wireExamples.renewLease);
    expect(event.extensions.resourceversion).toBe('2345');
    expect(comparable(leaseCodec.encode(leaseCodec.decode(event), updated))).toEqual(comparable(event));
  });
});

describe('an object', () => {
  it('without a version has no version in its event [grpc-cloudevents 26.1-5]', () => {
    const { extensions } = leaseCodec.encode({ metadata: { name: 'a', namespace: 'b', resourceVersion: '' } }, updated);
    expect(extensions).not.toHaveProperty('resourceversion');
    expect(extensions).not.toHaveProperty('resourceid');
  });

  it('comes back as it was, without what only the API server needs', () => {
    const metadata = fc.record({
      name: fc.string({ minLength: 1 }),
      uid: fc.uuid(),
      resourceVersion: fc.nat().map(String),
    });
    fc.assert(
      fc.property(metadata, fc.dictionary(fc.string(), fc.jsonValue()), (meta, spec) => {
        const lease = { metadata: { ...meta, namespace: 'cluster1', managedFields: [{ manager: 'm' }] }, spec };
        const read = leaseCodec.decode(leaseCodec.encode(lease, updated));
        const json = parseJson(JSON.stringify(spec));
        expect(read).toEqual({
          kind: 'Lease',
          apiVersion: 'coordination.k8s.io/v1',
          metadata: { ...meta, namespace: 'cluster1' },
          spec: json,
        });
      }),
    );
  });

  it('that is being deleted carries its data, so that its reader can finish first', () => {
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    const addon = {
      spec: {},
      metadata: { name: 'a', namespace: 'cluster1', uid: 'u', deletionTimestamp, finalizers: ['f'] },
    };
    const event = managedClusterAddOnCodec.encode(addon, updated);
    expect(event.extensions.deletiontimestamp).toEqual(new Date(deletionTimestamp));
    expect(managedClusterAddOnCodec.decode(event).metadata?.finalizers).toEqual(['f']);
  });

  it('that is gone is known by its uid and the time of its deletion [grpc-cloudevents 26.5-42]', () => {
    const event = leaseCodec.encodeGone({ metadata: { name: 'a', namespace: 'cluster1', uid: 'u' } }, updated);
    expect(event.data).toBeUndefined();
    expect(leaseCodec.decode(event)).toEqual({ metadata: { uid: 'u', deletionTimestamp: '2026-01-01T00:00:00Z' } });
  });

  const event = (more: Partial<CloudEvent>): CloudEvent => ({ id: '', source: '', type: '', extensions: {}, ...more });
  const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  it.each([
    ['a deletion without a uid', event({ extensions: { deletiontimestamp: new Date() } }), /resourceid is required/],
    ['a deletion at no time', event({ extensions: { deletiontimestamp: 'soon' } }), /must be a timestamp/],
    ['no data', event({}), /the data is not JSON/],
    ['data that is a list', event({ data: json([]) }), /not a JSON object/],
    ['data without a name', event({ data: json({ metadata: {} }) }), /metadata.name/],
    ['bytes that are not UTF-8', event({ data: new Uint8Array([0xff]) }), /not UTF-8/],
  ])('is refused: %s [grpc-cloudevents 26.5-42]', (_, malformed, message) => {
    expect(() => leaseCodec.decode(malformed)).toThrow(MalformedEvent);
    expect(() => leaseCodec.decode(malformed)).toThrow(message);
  });
});

describe('the cluster of an object', () => {
  it('is named by its label, its namespace or its name', () => {
    const labels = { [Label.ClusterName]: 'cluster1' };
    const spec = { request: '', signerName: '', usages: [] };
    expect(certificateSigningRequestCodec.clusterOf({ metadata: { name: 'a', labels }, spec })).toBe('cluster1');
    expect(eventCodec.clusterOf({ eventTime: '', metadata: { name: 'a', namespace: 'cluster1' } })).toBe('cluster1');
    expect(managedClusterCodec.clusterOf({ metadata: { name: 'cluster1' } })).toBe('cluster1');
    expect(managedClusterAddOnV1Alpha1Codec.clusterOf({ spec: {}, metadata: { name: 'a', namespace: 'b' } })).toBe('b');
  });

  it('must be named by a CertificateSigningRequest [grpc-cloudevents 26.5-43]', () => {
    const request = { metadata: { name: 'a' }, spec: { request: '', signerName: '', usages: [] } };
    expect(() => certificateSigningRequestCodec.encode(request, created)).toThrow(/names no cluster/);
  });
});

describe('a TokenRequest', () => {
  const request = {
    metadata: { name: 'addon-agent', namespace: 'cluster1', uid: 'request-1' },
    spec: { expirationSeconds: 3600, audiences: null, boundObjectRef: null },
  };

  it('is known by the uid of the request', () => {
    const event = tokenRequestCodec.encode(request, created);
    expect(event.extensions).toMatchObject({ resourceid: 'request-1', clustername: 'cluster1' });
    expect(tokenRequestCodec.decode(event)).toEqual({ ...request, status: { token: '' } });
  });

  it('is refused without its names', () => {
    expect(() => tokenRequestCodec.encode({ ...request, metadata: { name: 'a' } }, created)).toThrow(MalformedEvent);
    const event = { ...tokenRequestCodec.encode(request, created), data: new TextEncoder().encode('{"spec":{}}') };
    expect(() => tokenRequestCodec.decode(event)).toThrow(MalformedEvent);
  });
});
