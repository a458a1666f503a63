import { isRecord } from '@flotilla/schema';
import { type CloudEvent, deletionTimestamp, Extension, stringExtension } from '../event/cloud-event.ts';
import { dataObject } from '../event/event-json.ts';
import { MalformedEvent } from '../event/malformed.ts';
import { resourceVersion } from '../event/resource-version.ts';
import { metadataDigest } from './metadata-digest.ts';

/** An object of the hub as far as a resync compares it: it is encoded only where an agent lacks it. */
export interface ListedObject {
  /** Its uid; undefined if it has none. */
  readonly id: string | undefined;
  readonly name: string;
  /** 0 if it has none; undefined if it is not a number. */
  readonly version: bigint | undefined;
  readonly isDeleting: boolean;
  /** Identifies its labels and annotations. Undefined for kinds whose version says that they have changed. */
  digest?(): string | undefined;
  /** As it is now. Undefined if it is gone, or cannot be sent. */
  encode(): CloudEvent | undefined;
}

/** The object of an event that has been encoded. */
export function listedEvent(event: CloudEvent): ListedObject {
  return {
    id: stringExtension(event, Extension.ResourceId),
    name: nameOf(event),
    version: versionOf(event),
    isDeleting: deletionTimestamp(event) !== undefined,
    digest() {
      const metadata = stringExtension(event, Extension.Metadata);
      return metadata === undefined ? undefined : metadataDigest(JSON.parse(metadata));
    },
    encode: () => event,
  };
}

function nameOf(event: CloudEvent): string {
  const { metadata } = event.data ? dataObject(event) : {};
  return isRecord(metadata) && typeof metadata.name === 'string' ? metadata.name : '';
}

function versionOf(event: CloudEvent): bigint | undefined {
  try {
    return resourceVersion(event);
  } catch (error) {
    if (error instanceof MalformedEvent) return undefined;
    throw error;
  }
}
