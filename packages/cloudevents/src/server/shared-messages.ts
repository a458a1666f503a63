import type { CloudEvent } from '../event/cloud-event.ts';
import { compressed } from '../event/data-encoding.ts';
import { toMessage } from '../event/envelope.ts';
import type { CloudEvent as CloudEventMessage } from '../protobuf/generated/io/cloudevents/v1/cloudevent_pb.ts';

/** Makes the message of an event that goes to several streams once, above all that of a heartbeat. */
function once(encode: (event: CloudEvent) => CloudEventMessage): (event: CloudEvent) => CloudEventMessage {
  const made = new WeakMap<CloudEvent, CloudEventMessage>();
  return (event) => {
    const known = made.get(event);
    if (known) return known;
    const message = encode(event);
    made.set(event, message);
    return message;
  };
}

/** Messages as long as their events are there. */
export const sharedMessages = {
  plain: once(toMessage),
  compressed: once((event) => toMessage(compressed(event))),
};
