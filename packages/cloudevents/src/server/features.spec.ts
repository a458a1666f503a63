import { create } from '@bufbuild/protobuf';
import { realClock, staticAccess } from '@flotilla/kube';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { createCloudEventsClient } from '../client/client.ts';
import { openGrpcChannel } from '../client/grpc-channel.ts';
import { leaseCodec } from '../codecs/codecs.ts';
import { type CloudEvent, dataText } from '../event/cloud-event.ts';
import { dataTypes } from '../event/data-type.ts';
import { toMessage } from '../event/envelope.ts';
import { service } from '../grpc/service.ts';
import {
  PublishRequestSchema,
  SubscriptionRequestSchema,
} from '../protobuf/generated/io/cloudevents/v1/cloudevent_pb.ts';
import { serveBroker } from './fixtures/served-broker.ts';

const request = { clusterName: 'cluster1', dataType: dataTypes.leases };
const leaseEvent = (name: string, holder = 'h'): CloudEvent =>
  leaseCodec.encode(
    { metadata: { name, namespace: 'cluster1', uid: `uid-${name}` }, spec: { holderIdentity: holder } },
    { source: 'cluster1', now: realClock.now(), subresource: 'spec', action: 'update_request' },
  );
const large = 'x'.repeat(200_000);

describe('between peers of this package', () => {
  it('a reply comes with the call, although the stream is on another replica', async () => {
    await using first = await serveBroker({
      handle: async (_event, _type, _caller, reply) => reply(leaseEvent('answer')),
    });
    await using second = await serveBroker();
    const to = (served: typeof first) => openGrpcChannel(served.access());
    const client = createCloudEventsClient({
      access: staticAccess(first.access()),
      open() {
        const [publishing, subscribing] = [to(first), to(second)];
        return {
          publish: (event, options) => publishing.publish(event, options),
          subscribe: (asked, handlers) => subscribing.subscribe(asked, handlers),
          close() {
            publishing.close();
            subscribing.close();
          },
        };
      },
    });
    const streamed: CloudEvent[] = [];
    const { promise: open, resolve } = Promise.withResolvers<void>();
    client.subscribe(request, { onSubscribed: resolve, onEvent: (event) => streamed.push(event) });
    await open;
    const replies: CloudEvent[] = [];
    await client.publish(leaseEvent('question'), { onReply: (reply) => replies.push(reply) });
    expect(replies.map((reply) => leaseCodec.decode(reply).metadata?.name)).toEqual(['answer']);
    expect(streamed).toEqual([]);
    await client.close();
  });

  it('large events are compressed in both directions', async () => {
    await using served = await serveBroker();
    const client = served.client();
    const received: CloudEvent[] = [];
    const { promise: open, resolve } = Promise.withResolvers<void>();
    client.subscribe(request, { onSubscribed: resolve, onEvent: (event) => received.push(event) });
    await open;
    await client.publish(leaseEvent('up', large));
    served.broker.send(dataTypes.leases, leaseEvent('down', large));
    await expect.poll(() => received.length).toBe(1);
    expect(leaseCodec.decode(received[0] ?? leaseEvent('none')).spec?.holderIdentity).toBe(large);
    expect(dataText(served.handled[0]?.event ?? leaseEvent('none'))).toContain(large);
  });
});

/** As an agent of OCM calls: it names no features. */
async function callAsOcm(served: Awaited<ReturnType<typeof serveBroker>>) {
  const { ca = '' } = served.access();
  const client = new Client(`127.0.0.1:${served.server.port}`, credentials.createSsl(Buffer.from(ca)));
  const { publish, subscribe } = service;
  const message = create(SubscriptionRequestSchema, {
    clusterName: 'cluster1',
    dataType: 'coordination.k8s.io.v1.leases',
  });
  const stream = client.makeServerStreamRequest(
    subscribe.path,
    subscribe.requestSerialize,
    subscribe.responseDeserialize,
    message,
    new Metadata(),
  );
  stream.on('error', () => {});
  const headers = await new Promise<Metadata>((resolve) => stream.once('metadata', resolve));
  const trailer = await new Promise<Metadata>((resolve, reject) => {
    const call = client.makeUnaryRequest(
      publish.path,
      publish.requestSerialize,
      publish.responseDeserialize,
      create(PublishRequestSchema, { event: toMessage(leaseEvent('question')) }),
      new Metadata(),
      (error) => error && reject(error),
    );
    call.once('status', ({ metadata }) => resolve(metadata));
  });
  served.broker.send(dataTypes.leases, leaseEvent('large', large));
  const event = await new Promise<{ data: { value?: Uint8Array } }>((resolve) => {
    stream.on('data', (each) => each.data.value?.length > 1000 && resolve(each));
  });
  client.close();
  return { headers: headers.getMap(), trailer: trailer.getMap(), bytes: event.data.value?.length ?? 0 };
}

it('an agent of OCM gets neither features nor replies nor compressed data', async () => {
  await using served = await serveBroker({
    handle: async (_event, _type, _caller, reply) => reply(leaseEvent('answer')),
  });
  const { headers, trailer, bytes } = await callAsOcm(served);
  expect(Object.keys(headers).filter((key) => key.startsWith('ocm-'))).toEqual([]);
  expect(Object.keys(trailer).filter((key) => key.startsWith('ocm-'))).toEqual([]);
  expect(headers['subscription-id']).toBeDefined();
  expect(bytes).toBeGreaterThan(200_000);
});
