import { toBinary } from '@bufbuild/protobuf';
import type { Empty } from '@bufbuild/protobuf/wkt';
import { Metadata, type ServerUnaryCall } from '@grpc/grpc-js';
import type { Broker } from '../broker/broker.ts';
import { fromMessage, toMessage } from '../event/envelope.ts';
import { parseEventType } from '../event/event-type.ts';
import { MalformedEvent } from '../event/malformed.ts';
import { featuresOf, replyKey } from '../grpc/features.ts';
import { CloudEventSchema, type PublishRequest } from '../protobuf/generated/io/cloudevents/v1/cloudevent_pb.ts';
import type { Authorizer } from './authorizer.ts';
import { callContext } from './call-context.ts';
import type { CallTimer } from './call-timer.ts';

export type PublishCall = ServerUnaryCall<PublishRequest, Empty>;

/** What events are handled with. */
export interface PublishDeps<Caller> {
  readonly broker: Broker<Caller>;
  readonly authorizer: Authorizer<Caller>;
  /** Of the data of one event, once it is decompressed. */
  readonly maxDataBytes: number;
}

/** Checks an event and hands it on. Resolves when it was handled, with the reply for a caller that reads one. */
export async function handlePublish<Caller>(
  { broker, authorizer, maxDataBytes }: PublishDeps<Caller>,
  call: PublishCall,
  timer: CallTimer,
): Promise<Metadata | undefined> {
  if (!call.request.event) throw new MalformedEvent('event is required and is not set');
  const event = fromMessage(call.request.event, maxDataBytes);
  const type = parseEventType(event.type);
  if (broker.serves(type.dataType)) timer.dataType = type.dataType;
  const caller = await authorizer.publish(event, type, callContext(call));
  const reply = await broker.publish(event, caller);
  if (!reply || !featuresOf(call.metadata).has('reply')) return undefined;
  const trailer = new Metadata();
  trailer.set(replyKey, Buffer.from(toBinary(CloudEventSchema, toMessage(reply))));
  return trailer;
}
