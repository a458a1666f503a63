import { type DataType, formatDataType, parseDataType } from './data-type.ts';
import { MalformedEvent, quoted } from './malformed.ts';

/** Which half of an object an event carries. */
export type Subresource = 'spec' | 'status';

/** What the receiver of an event is asked to do. */
export const actions = [
  'create_request',
  'update_request',
  'delete_request',
  'resync_request',
  'resync_response',
  'watch_request',
] as const;
/** What an event asks for or tells. */
export type Action = (typeof actions)[number];

/** The type of an event: `<data type>.<subresource>.<action>`. */
export interface EventType {
  readonly dataType: DataType;
  readonly subresource: Subresource;
  readonly action: Action;
}

/** The type of heartbeats, which does not follow the grammar of other types. */
export const heartbeatType = 'io.open-cluster-management.cloudevents.heartbeat';

/** Writes an event type as it is on the wire. */
export const formatEventType = ({ dataType, subresource, action }: EventType): string =>
  `${formatDataType(dataType)}.${subresource}.${action}`;

/** Reads an event type from the right. */
export function parseEventType(text: string): EventType {
  const parts = text.split('.');
  const action = parts.pop();
  const subresource = parts.pop();
  if (parts.length < 3) {
    throw new MalformedEvent(`type ${quoted(text)} is not <group>.<version>.<resource>.<subresource>.<action>`);
  }
  if (subresource !== 'spec' && subresource !== 'status') {
    throw new MalformedEvent(`type ${quoted(text)}: the subresource ${quoted(subresource)} is not "spec" or "status"`);
  }
  const known = actions.find((candidate) => candidate === action);
  if (!known) {
    throw new MalformedEvent(`type ${quoted(text)}: the action ${quoted(action)} is not one of ${actions.join(', ')}`);
  }
  return { dataType: parseDataType(parts.join('.')), subresource, action: known };
}
