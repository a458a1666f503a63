import { KubeError } from '@flotilla/kube';
import { isRecord } from '@flotilla/schema';
import { type CloudEvent, clusterNameOf } from '../event/cloud-event.ts';
import { createEvent, type EventOrigin } from '../event/create-event.ts';
import type { DataType } from '../event/data-type.ts';
import { dataObject } from '../event/event-json.ts';
import { MalformedEvent, quoted } from '../event/malformed.ts';
import { callLimits } from '../limits.ts';

/** The version of each object that an agent has, by uid. */
export type KnownVersions = ReadonlyMap<string, bigint>;

/** What an agent has, so that the hub sends what is newer and what is gone. */
export interface ResyncRequest {
  readonly clusterName: string;
  readonly known: KnownVersions;
  /**
   * What labels and annotations an agent knows of ManifestWorks, by uid, see `metadataDigest`: their version is a generation, which does
   * not change with them. Servers of OCM ignore it.
   */
  readonly digests?: ReadonlyMap<string, string>;
}

/** Asks the hub for what an agent does not have. */
export const createResyncRequest = (
  origin: EventOrigin,
  dataType: DataType,
  { clusterName, known, digests }: ResyncRequest,
): CloudEvent =>
  createEvent(origin, {
    type: { dataType, subresource: 'spec', action: 'resync_request' },
    clusterName,
    data: {
      resourceVersions: [...known].map(([resourceID, resourceVersion]) => {
        const metadataDigest = digests?.get(resourceID);
        return { resourceID, resourceVersion, ...(metadataDigest && { metadataDigest }) };
      }),
    },
  });

const { maxKnownObjects, maxIdLength } = callLimits;

/** Reads what an agent has. */
export function parseResyncRequest(event: CloudEvent): ResyncRequest {
  const { resourceVersions } = dataObject(event);
  if (!Array.isArray(resourceVersions)) {
    throw new MalformedEvent(`resourceVersions is ${quoted(resourceVersions)}, and must be a list`);
  }
  if (resourceVersions.length > maxKnownObjects) {
    const message = `the resync is about ${resourceVersions.length} objects, and may be about ${maxKnownObjects}`;
    throw new KubeError('RequestTooLarge', message, { status: 413 });
  }
  const known = new Map(resourceVersions.map(knownVersion));
  const digests = new Map(resourceVersions.flatMap(knownDigest));
  return { clusterName: clusterNameOf(event), known, digests };
}

function knownVersion(entry: unknown, index: number): [string, bigint] {
  const { resourceID, resourceVersion } = isRecord(entry) ? entry : {};
  const isVersion = typeof resourceVersion === 'bigint' || Number.isSafeInteger(resourceVersion);
  if (!isId(resourceID) || !isVersion) {
    throw new MalformedEvent(
      `resourceVersions[${index}] is ${quoted(String(entry))}, and needs a resourceID of at most ${maxIdLength} characters and a whole number resourceVersion`,
    );
  }
  return [resourceID, BigInt(resourceVersion as number | bigint)];
}

const isId = (id: unknown): id is string => typeof id === 'string' && id !== '' && id.length <= maxIdLength;

const knownDigest = (entry: unknown): [string, string][] => {
  const { resourceID, metadataDigest } = isRecord(entry) ? entry : {};
  return typeof resourceID === 'string' && typeof metadataDigest === 'string' ? [[resourceID, metadataDigest]] : [];
};
