import type { Empty } from '@bufbuild/protobuf/wkt';
import type { ServerUnaryCall } from '@grpc/grpc-js';
import type { Broker } from '../broker/broker.ts';
import { fromMessage } from '../event/envelope.ts';
import { parseEventType } from '../event/event-type.ts';
import { MalformedEvent } from '../event/malformed.ts';
import type { PublishRequest } from '../protobuf/generated/io/cloudevents/v1/cloudevent_pb.ts';
import type { Authorizer } from './authorizer.ts';
import { callContext } from './call-context.ts';
import type { CallTimer } from './call-timer.ts';

export type PublishCall = ServerUnaryCall<PublishRequest, Empty>;

/** Checks an event and hands it on. Resolves when it was handled. */
export async function handlePublish<Caller>(
  { broker, authorizer }: { readonly broker: Broker<Caller>; readonly authorizer: Authorizer<Caller> },
  call: PublishCall,
  timer: CallTimer,
): Promise<void> {
  if (!call.request.event) throw new MalformedEvent('event is required and is not set');
  const event = fromMessage(call.request.event);
  const type = parseEventType(event.type);
  if (broker.serves(type.dataType)) timer.dataType = type.dataType;
  const caller = await authorizer.publish(event, type, callContext(call));
  await broker.publish(event, caller);
}
