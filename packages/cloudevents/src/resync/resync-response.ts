import { type CloudEvent, deletionTimestamp, Extension, stringExtension } from '../event/cloud-event.ts';
import { createEvent } from '../event/create-event.ts';
import { type DataType, dataTypes, formatDataType } from '../event/data-type.ts';
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
  const changed = listed
    .filter((event) => isNewer(event, known) || hasOtherMetadata(event, digests))
    .map((event) => ({ ...event, type: formatEventType(type) }));
  const gone = [...known.keys()].filter((id) => !ids.has(id));
  const isBundle = formatDataType(dataType) === formatDataType(dataTypes.manifestBundles);
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

function isNewer(event: CloudEvent, known: ResyncRequest['known']): boolean {
  if (deletionTimestamp(event)) return true;
  const last = known.get(stringExtension(event, Extension.ResourceId) ?? '') ?? 0n;
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
