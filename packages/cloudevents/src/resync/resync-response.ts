import { isRecord } from '@flotilla/schema';
import { type CloudEvent, deletionTimestamp, Extension, stringExtension } from '../event/cloud-event.ts';
import { createEvent } from '../event/create-event.ts';
import { type DataType, dataTypes, formatDataType } from '../event/data-type.ts';
import { dataObject } from '../event/event-json.ts';
import { formatEventType } from '../event/event-type.ts';
import { MalformedEvent } from '../event/malformed.ts';
import { resourceVersion } from '../event/resource-version.ts';
import { metadataDigest } from './metadata-digest.ts';
import type { ResyncRequest } from './resync-request.ts';

/** The literal source of an event about an object that the hub does not have. */
const goneSource = 'source';

/**
 * What a hub sends to an agent that asks for a resync: the objects that are newer than what the agent has or that are being deleted, and
 * a deletion for each object that only the agent has. `listed` are the events of all objects of the cluster and data type.
 */
export function resyncResponses(
  dataType: DataType,
  listed: readonly CloudEvent[],
  { clusterName, known, digests }: ResyncRequest,
  now: number,
): CloudEvent[] {
  const type = { dataType, subresource: 'spec', action: 'resync_response' } as const;
  const ids = new Set(listed.map((event) => stringExtension(event, Extension.ResourceId)));
  const isBundle = formatDataType(dataType) === formatDataType(dataTypes.manifestBundles);
  const unknown = [...known.keys()].filter((id) => !ids.has(id));
  // Agents of OCM before v1.3 know clusters and certificate requests by name.
  const names = new Set(unknown.length === 0 || isBundle ? [] : listed.map(nameOf));
  const gone = unknown.filter((id) => !names.has(id));
  const changed = listed
    .filter((event) => isNewer(event, known, names) || hasOtherMetadata(event, digests))
    .map((event) => ({ ...event, type: formatEventType(type) }));
  return [
    ...changed,
    ...gone.map((id) => {
      const extensions = {
        [Extension.DeletionTimestamp]: new Date(now),
        [Extension.ResourceId]: id,
        // An agent does not read the deletion of a ManifestWork without its version.
        ...(isBundle && { [Extension.ResourceVersion]: Number(known.get(id)) }),
      };
      return createEvent({ source: goneSource, now }, { type, clusterName, extensions });
    }),
  ];
}

/** The name of the object in an event, if it has one. */
function nameOf(event: CloudEvent): string {
  const { metadata } = event.data ? dataObject(event) : {};
  return isRecord(metadata) && typeof metadata.name === 'string' ? metadata.name : '';
}

function isNewer(event: CloudEvent, known: ResyncRequest['known'], names: ReadonlySet<string>): boolean {
  if (deletionTimestamp(event)) return true;
  const byId = known.get(stringExtension(event, Extension.ResourceId) ?? '');
  const last = byId ?? (names.size > 0 ? known.get(nameOf(event)) : undefined) ?? 0n;
  try {
    const current = resourceVersion(event);
    return current === 0n || current > last;
  } catch (error) {
    if (error instanceof MalformedEvent) return false;
    throw error;
  }
}

function hasOtherMetadata(event: CloudEvent, digests: ResyncRequest['digests']): boolean {
  const known = digests?.get(stringExtension(event, Extension.ResourceId) ?? '');
  const metadata = stringExtension(event, Extension.Metadata);
  return known !== undefined && metadata !== undefined && metadataDigest(JSON.parse(metadata)) !== known;
}
