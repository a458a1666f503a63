import { type CloudEvent, Extension } from '../event/cloud-event.ts';
import { createEvent } from '../event/create-event.ts';
import { type DataType, dataTypes, formatDataType } from '../event/data-type.ts';
import { type EventType, formatEventType } from '../event/event-type.ts';
import { type ListedObject, listedEvent } from './listed-object.ts';
import type { ResyncRequest } from './resync-request.ts';

/** The literal source of an event about an object that the hub does not have. */
const goneSource = 'source';

/** An answer to a resync, by the id of the object that it is about. */
export interface ResyncAnswer {
  readonly id: string | undefined;
  encode(): CloudEvent | undefined;
}

/**
 * What a hub sends to an agent that asks for a resync: the objects that are newer than what the agent has or that are being deleted, and
 * a deletion for each object that only the agent has. `listed` are all objects of the cluster and data type.
 */
export function resyncAnswers(
  dataType: DataType,
  listed: readonly ListedObject[],
  { clusterName, known, digests }: ResyncRequest,
  now: number,
): ResyncAnswer[] {
  const type = { dataType, subresource: 'spec', action: 'resync_response' } as const;
  const ids = new Set(listed.map(({ id }) => id));
  const isBundle = formatDataType(dataType) === formatDataType(dataTypes.manifestBundles);
  const unknown = [...known.keys()].filter((id) => !ids.has(id));
  // Agents of OCM before v1.3 know clusters and certificate requests by name.
  const names = new Set(unknown.length === 0 || isBundle ? [] : listed.map(({ name }) => name));
  const gone = unknown.filter((id) => !names.has(id));
  const changed = listed.filter((object) => isNewer(object, known, names) || hasOtherMetadata(object, digests));
  // An agent does not read the deletion of a ManifestWork without its version.
  const versionOf = (id: string) => (isBundle ? Number(known.get(id)) : undefined);
  return [
    ...changed.map((object) => changedAnswer(object, type)),
    ...gone.map((id) => goneAnswer({ id, version: versionOf(id), clusterName, now, type })),
  ];
}

/*
 * Answers wait for readers that may read nothing. They are made by functions of their own, so that one that waits keeps neither the request
 * nor what it was compared with.
 */

const changedAnswer = ({ id, encode }: ListedObject, type: EventType): ResyncAnswer => ({
  id,
  encode() {
    const event = encode();
    return event && { ...event, type: formatEventType(type) };
  },
});

interface GoneObject {
  readonly id: string;
  readonly version: number | undefined;
  readonly clusterName: string;
  readonly now: number;
  readonly type: EventType;
}

const goneAnswer = ({ id, version, clusterName, now, type }: GoneObject): ResyncAnswer => ({
  id,
  encode() {
    const extensions = {
      [Extension.DeletionTimestamp]: new Date(now),
      [Extension.ResourceId]: id,
      ...(version !== undefined && { [Extension.ResourceVersion]: version }),
    };
    return createEvent({ source: goneSource, now }, { type, clusterName, extensions });
  },
});

/** The same for objects that are events already, and as events. */
export const resyncResponses = (
  dataType: DataType,
  listed: readonly CloudEvent[],
  request: ResyncRequest,
  now: number,
): CloudEvent[] =>
  resyncAnswers(dataType, listed.map(listedEvent), request, now).flatMap(({ encode }) => encode() ?? []);

function isNewer(
  { id = '', name, version, isDeleting }: ListedObject,
  known: ResyncRequest['known'],
  names: ReadonlySet<string>,
): boolean {
  if (isDeleting) return true;
  const last = known.get(id) ?? (names.size > 0 ? known.get(name) : undefined) ?? 0n;
  return version !== undefined && (version === 0n || version > last);
}

function hasOtherMetadata({ id = '', digest }: ListedObject, digests: ResyncRequest['digests']): boolean {
  const known = digests?.get(id);
  if (known === undefined) return false;
  const current = digest?.();
  return current !== undefined && current !== known;
}
