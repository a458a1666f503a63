import { fromBinary, toBinary } from '@bufbuild/protobuf';
import type { Empty } from '@bufbuild/protobuf/wkt';
import { Metadata, type ServerUnaryCall } from '@grpc/grpc-js';
import type { Broker } from '../broker/broker.ts';
import { unpacked } from '../event/data-encoding.ts';
import { readEnvelope, toMessage } from '../event/envelope.ts';
import { parseEventType } from '../event/event-type.ts';
import { MalformedEvent } from '../event/malformed.ts';
import { featuresOf, replyKey } from '../grpc/features.ts';
import { callLimits } from '../limits.ts';
import {
  type CloudEvent,
  CloudEventSchema,
  type PublishRequest,
  PublishRequestSchema,
} from '../protobuf/generated/io/cloudevents/v1/cloudevent_pb.ts';
import { admissionOf } from './admission.ts';
import type { Authorizer } from './authorizer.ts';
import type { CallTimer } from './call-timer.ts';

/** Its request has not been decoded: whoever sends it is known first. */
export type PublishCall = ServerUnaryCall<Buffer, Empty>;

/** What events are handled with. */
export interface PublishDeps<Caller> {
  readonly broker: Broker<Caller>;
  readonly authorizer: Authorizer<Caller>;
  /** Of the data of one event, once it is decompressed, where its service does not say less. */
  readonly maxDataBytes: number;
}

/** Checks an event and hands it on. Resolves when it was handled, with the reply for a caller that reads one. */
export async function handlePublish<Caller>(
  { broker, authorizer, maxDataBytes }: PublishDeps<Caller>,
  call: PublishCall,
  timer: CallTimer,
): Promise<Metadata | undefined> {
  const { context, admission } = admissionOf(call);
  admission.hold(call.request.length);
  const packed = readEnvelope(messageOf(call.request));
  if (packed.id.length > callLimits.maxIdLength) {
    throw new MalformedEvent(`the id has ${packed.id.length} characters, and may have ${callLimits.maxIdLength}`);
  }
  const type = parseEventType(packed.type);
  if (broker.serves(type.dataType)) timer.dataType = type.dataType;
  const event = await unpacked(packed, broker.maxDataBytes(type.dataType) ?? maxDataBytes);
  admission.hold(Math.max(0, (event.data?.length ?? 0) - (packed.data?.length ?? 0)));
  const caller = await authorizer.publish(event, type, context);
  const reply = await broker.publish(event, caller, admission.party);
  if (!reply || !featuresOf(call.metadata).has('reply')) return undefined;
  const trailer = new Metadata();
  trailer.set(replyKey, Buffer.from(toBinary(CloudEventSchema, toMessage(reply))));
  return trailer;
}

function messageOf(bytes: Uint8Array): CloudEvent {
  let request: PublishRequest;
  try {
    request = fromBinary(PublishRequestSchema, bytes);
  } catch (error) {
    throw new MalformedEvent(`the request cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  if (!request.event) throw new MalformedEvent('event is required and is not set');
  return request.event;
}
