import { type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { EmptySchema } from '@bufbuild/protobuf/wkt';
import type { MethodDefinition } from '@grpc/grpc-js';
import {
  CloudEventSchema,
  CloudEventService,
  PublishRequestSchema,
  SubscriptionRequestSchema,
} from '../protobuf/generated/io/cloudevents/v1/cloudevent_pb.ts';

/** The two methods, for the gRPC library: their paths and how their messages become bytes. */
export const service = {
  publish: method(CloudEventService.method.publish.name, PublishRequestSchema, EmptySchema, false),
  subscribe: method(CloudEventService.method.subscribe.name, SubscriptionRequestSchema, CloudEventSchema, true),
} as const;

/** The key of the response headers by which a client knows that it is subscribed. */
export const subscriptionIdKey = 'subscription-id';

function method<Request extends DescMessage, Response extends DescMessage>(
  name: string,
  request: Request,
  response: Response,
  responseStream: boolean,
): MethodDefinition<MessageShape<Request>, MessageShape<Response>> {
  return {
    path: `/${CloudEventService.typeName}/${name}`,
    requestStream: false,
    responseStream,
    requestSerialize: (message) => Buffer.from(toBinary(request, message)),
    requestDeserialize: (bytes) => fromBinary(request, bytes),
    responseSerialize: serializeOnce(response),
    responseDeserialize: (bytes) => fromBinary(response, bytes),
  };
}

/** A message that goes to several streams becomes bytes once. */
function serializeOnce<T extends DescMessage>(schema: T): (message: MessageShape<T>) => Buffer {
  const known = new WeakMap<object, Buffer>();
  return (message) => {
    const found = known.get(message);
    if (found) return found;
    const bytes = toBinary(schema, message);
    const made = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    known.set(message, made);
    return made;
  };
}
