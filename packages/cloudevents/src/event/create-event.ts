import { randomUUID } from 'node:crypto';
import { stringifyJson } from '@flotilla/kube/meta';
import type { CloudEvent, ExtensionValue } from './cloud-event.ts';
import { Extension } from './cloud-event.ts';
import { type EventType, formatEventType, heartbeatType } from './event-type.ts';

/** Who makes an event, and when. */
export interface EventOrigin {
  readonly source: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What is in an event. */
export interface EventContent {
  readonly type: EventType;
  readonly clusterName: string;
  /** The source that an answer is for; empty for all. */
  readonly originalSource?: string;
  readonly extensions?: Readonly<Record<string, ExtensionValue | undefined>>;
  /** Becomes the JSON of the data; absent for an event without data. */
  readonly data?: unknown;
}

const encoder = new TextEncoder();

/** A new event with an id of its own and the extensions that each event has. */
export function createEvent({ source, now }: EventOrigin, content: EventContent): CloudEvent {
  const { type, clusterName, originalSource = '', extensions = {}, data } = content;
  const set = Object.entries(extensions).filter((entry): entry is [string, ExtensionValue] => entry[1] !== undefined);
  return {
    id: randomUUID(),
    source,
    type: formatEventType(type),
    time: new Date(now),
    extensions: {
      [Extension.ClusterName]: clusterName,
      [Extension.OriginalSource]: originalSource,
      ...Object.fromEntries(set),
    },
    ...(data !== undefined && { data: encoder.encode(stringifyJson(data)) }),
  };
}

/** A heartbeat: it has an id and a type and nothing else. */
export const createHeartbeat = (id: string = randomUUID()): CloudEvent => ({
  id,
  source: '',
  type: heartbeatType,
  extensions: {},
});
