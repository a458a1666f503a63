import { isRecord } from '@flotilla/schema';
import type { CloudEvent } from '../event/cloud-event.ts';
import { dataObject } from '../event/event-json.ts';
import { MalformedEvent, quoted } from '../event/malformed.ts';

/** The hash of the status of each object that a source has, by uid. */
export function parseStatusResync(event: CloudEvent): ReadonlyMap<string, string> {
  const { statusHashes } = dataObject(event);
  if (!Array.isArray(statusHashes)) {
    throw new MalformedEvent(`statusHashes is ${quoted(statusHashes)}, and must be a list`);
  }
  return new Map(
    statusHashes.map((entry, index) => {
      const { resourceID, statusHash } = isRecord(entry) ? entry : {};
      if (typeof resourceID === 'string' && typeof statusHash === 'string') return [resourceID, statusHash];
      throw new MalformedEvent(`statusHashes[${index}] needs the strings resourceID and statusHash`);
    }),
  );
}

/** The objects whose status an agent reports again: all if the source has none, otherwise those that the source has with another hash. */
export const staleStatuses = <T>(
  objects: readonly T[],
  hashes: ReadonlyMap<string, string>,
  identify: (object: T) => { readonly uid: string; readonly hash: string },
): T[] =>
  objects.filter((object) => {
    if (hashes.size === 0) return true;
    const { uid, hash } = identify(object);
    return hashes.has(uid) && hashes.get(uid) !== hash;
  });
