import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CloudEventSchema,
  PublishRequestSchema,
  SubscriptionRequestSchema,
} from '../protobuf/generated/io/cloudevents/v1/cloudevent_pb.ts';
import type { CloudEvent, ExtensionValue } from './cloud-event.ts';
import { createHeartbeat } from './create-event.ts';
import { dataTypes, formatDataType } from './data-type.ts';
import { fromMessage, toMessage } from './envelope.ts';
import { framed, published, sortedMessage, streamed, streamedBytes } from './fixtures/messages.ts';
import { wireExamples } from './fixtures/wire-examples.ts';
import { MalformedEvent } from './malformed.ts';

describe('the bytes on the wire', () => {
  it.each(['createCluster', 'createRequest', 'renewLease', 'reportStatus', 'resyncBundles'] as const)(
    'of the publish %s are read and written without a difference',
    (name) => {
      const event = sortedMessage(published(wireExamples[name]));
      expect(framed(toBinary(PublishRequestSchema, create(PublishRequestSchema, { event })))).toBe(wireExamples[name]);
    },
  );

  it.each(['receiveBundle', 'goneLease'] as const)(
    'of the event %s are read and written without a difference',
    (name) => {
      expect(streamedBytes(streamed(wireExamples[name]))).toBe(wireExamples[name]);
    },
  );

  it('of a heartbeat have an id, a version and a type', () => {
    const heartbeat = { ...createHeartbeat(), id: '00000003-0000-4000-8000-000000000003' };
    expect(streamedBytes(heartbeat)).toBe(wireExamples.heartbeat);
  });

  it.each([
    ['subscribeToClusters', dataTypes.managedClusters],
    ['subscribeToBundles', dataTypes.manifestBundles],
  ] as const)('of %s name the cluster and the data type', (name, dataType) => {
    const request = create(SubscriptionRequestSchema, { clusterName: 'cluster1', dataType: formatDataType(dataType) });
    expect(framed(toBinary(SubscriptionRequestSchema, request))).toBe(wireExamples[name]);
  });
});

const instant = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_000 }).map((ms) => new Date(ms));
const extension = fc.oneof<fc.Arbitrary<ExtensionValue>[]>(
  fc.string(),
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  fc.boolean(),
  instant,
  fc.uint8Array(),
);
const reserved = new Set(['id', 'source', 'type', 'specversion', 'subject', 'dataschema', 'datacontenttype', 'time']);
const anyEvent: fc.Arbitrary<CloudEvent> = fc.record(
  {
    id: fc.string(),
    source: fc.string(),
    type: fc.string(),
    extensions: fc.dictionary(
      fc.stringMatching(/^[a-z0-9]+$/).filter((name) => !reserved.has(name)),
      extension,
    ),
    time: instant,
    data: fc.uint8Array({ minLength: 1 }),
  },
  { requiredKeys: ['id', 'source', 'type', 'extensions'] },
);

describe('an event', () => {
  it('survives the wire with all that it has, empty strings included [grpc-cloudevents 26.1-4]', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        const bytes = toBinary(CloudEventSchema, toMessage(event));
        const read = fromMessage(fromBinary(CloudEventSchema, bytes));
        expect({ ...read, extensions: { ...read.extensions } }).toEqual({
          ...event,
          extensions: { ...event.extensions },
        });
      }),
    );
  });

  it('is read or refused, whatever the bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        let message: ReturnType<typeof toMessage>;
        try {
          message = fromBinary(CloudEventSchema, bytes);
        } catch {
          return;
        }
        try {
          fromMessage(message);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedEvent);
        }
      }),
      { numRuns: 2000 },
    );
  });

  const ofString = (value: string) => ({ attr: { case: 'ceString', value } }) as const;
  it.each([
    ['another version of CloudEvents', { specVersion: '0.3' }, /spec_version is "0.3"/],
    ['an attribute without a value', { attributes: { 'ce-a': {} } }, /"ce-a" has no value/],
    [
      'structured mode, in which the data is the event',
      { attributes: { contenttype: ofString('application/cloudevents+json') } },
      /contenttype is "application\/cloudevents\+json"/,
    ],
    ['an attribute that repeats a field', { attributes: { 'ce-type': ofString('a') } }, /repeats a field/],
    ['a name that is not one of an extension', { attributes: { 'ce-__proto__': ofString('a') } }, /not the name/],
    ['a time that is none', { attributes: { 'ce-time': ofString('tomorrow') } }, /must be a timestamp/],
    [
      'a time that no calendar has',
      { attributes: { 'ce-x': { attr: { case: 'ceTimestamp', value: { seconds: 2n ** 62n } } } } } as const,
      /not a valid timestamp/,
    ],
  ])('is refused with %s', (_, init, message) => {
    expect(() => fromMessage(create(CloudEventSchema, { specVersion: '1.0', ...init }))).toThrow(message);
  });

  it('keeps from an attribute without the prefix nothing, as peers do', () => {
    const attributes = { clustername: ofString('cluster1'), 'ce-a': ofString('b') };
    expect(fromMessage(create(CloudEventSchema, { specVersion: '1.0', attributes })).extensions).toEqual({ a: 'b' });
  });

  it.each([
    ['more than 32 bits', { big: 2 ** 31 }],
    ['a fraction', { half: 0.5 }],
    ['a name with a capital', { clusterName: 'a' }],
    ['a date that is none', { at: new Date(Number.NaN) }],
  ])('is not written with %s', (_, extensions) => {
    expect(() => toMessage({ id: '1', source: 's', type: 't', extensions })).toThrow(MalformedEvent);
  });
});
