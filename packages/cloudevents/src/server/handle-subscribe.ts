import { randomUUID } from 'node:crypto';
import { KubeError, type Logger } from '@flotilla/kube';
import { Metadata, type ServerWritableStream, status } from '@grpc/grpc-js';
import type { Broker } from '../broker/broker.ts';
import { checkedClusterName } from '../event/cloud-event.ts';
import { type DataType, parseDataType } from '../event/data-type.ts';
import { MalformedEvent } from '../event/malformed.ts';
import { toStreamStatus } from '../grpc/error-status.ts';
import { featuresKey, featuresOf, ownFeatures } from '../grpc/features.ts';
import { subscriptionIdKey } from '../grpc/service.ts';
import type { CloudEvent, SubscriptionRequest } from '../protobuf/generated/io/cloudevents/v1/cloudevent_pb.ts';
import { admissionOf } from './admission.ts';
import type { Authorizer } from './authorizer.ts';
import { BoundedWriter } from './bounded-writer.ts';
import type { CallTimer } from './call-timer.ts';
import type { EventServerObserver } from './observer.ts';
import { sharedMessages } from './shared-messages.ts';

export type SubscribeCall = ServerWritableStream<SubscriptionRequest, CloudEvent>;

/** What streams are opened with. */
export interface SubscribeDeps<Caller> {
  readonly broker: Broker<Caller>;
  readonly authorizer: Authorizer<Caller>;
  readonly log: Logger;
  readonly observer?: EventServerObserver;
}

/** Opens a stream, or throws the reason why not. */
export async function handleSubscribe<Caller>(
  { broker, authorizer, log, observer }: SubscribeDeps<Caller>,
  call: SubscribeCall,
  timer: CallTimer,
): Promise<void> {
  if (!call.request.clusterName) throw new MalformedEvent('invalid subscription request: missing cluster name');
  const clusterName = checkedClusterName(call.request.clusterName, 'invalid subscription request: cluster name');
  const dataType = subscribedType(call.request.dataType);
  broker.requireServed(dataType);
  timer.dataType = dataType;
  const { revoked, onEnd } = await authorizer.subscribe({ clusterName, dataType }, admissionOf(call).context);
  // Nobody would end a stream that begins while the server stops, and the server would wait for it.
  if (call.cancelled || broker.isClosed) {
    onEnd?.();
    if (!call.cancelled) throw new KubeError('Unavailable', 'the server stops');
    timer.end(status.CANCELLED);
    return;
  }
  const count = () => observer?.subscribers(clusterName, dataType, broker.subscribersOf(dataType, clusterName));
  const features = featuresOf(call.metadata);
  // At once: clients wait for it, and the first event may be minutes away. Before any event, which would send headers of its own.
  call.sendMetadata(confirmation(features));
  const writer = new BoundedWriter(call);
  const subscription = broker.subscribe(dataType, clusterName, {
    write(event) {
      observer?.sent(dataType);
      return writer.write(features.has('gzip') ? sharedMessages.compressed(event) : sharedMessages.plain(event));
    },
    onDrain: (callback) => writer.onDrain(callback),
    end(error) {
      const ended = error && toStreamStatus(error);
      timer.end(ended?.code ?? status.OK);
      if (ended) call.emit('error', ended);
      else call.end();
    },
  });
  count();
  const onRevoked = () => subscription.end(KubeError.from(revoked?.reason));
  let isOpen = true;
  const stop = () => {
    if (!isOpen) return;
    isOpen = false;
    revoked?.removeEventListener('abort', onRevoked);
    subscription.stop();
    onEnd?.();
    timer.end(status.CANCELLED);
    count();
  };
  revoked?.addEventListener('abort', onRevoked, { once: true });
  call.on('cancelled', stop);
  call.on('close', stop);
  call.on('finish', stop);
  call.on('error', (error) => {
    stop();
    log.debug('a stream ends', { cluster: clusterName, error });
  });
  if (revoked?.aborted) onRevoked();
}

function confirmation(features: ReadonlySet<string>): Metadata {
  const headers = new Metadata();
  headers.set(subscriptionIdKey, randomUUID());
  if (features.size > 0) headers.set(featuresKey, ownFeatures);
  return headers;
}

function subscribedType(text: string): DataType {
  try {
    return parseDataType(text);
  } catch (error) {
    throw new MalformedEvent(`invalid subscription request: invalid data type: ${(error as Error).message}`);
  }
}
