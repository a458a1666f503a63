import { createHash } from 'node:crypto';
import type { ManifestWorkReplicaSet } from '@flotilla/api-types';

/** What API servers make generated names of: no vowels, so no words. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
/** Where API servers cut the base of a generated name. */
const longestBase = 58;

/**
 * The name of the works of a replica set for a placement: that of the replica set. It is the same on all clusters and at all times, so
 * a work that is created twice, by a controller that was killed or one that saw an old cache, is created once. Where the work of
 * another owner or placement has the name, `attempt` adds what an API server would generate.
 */
export function workNameOf({ metadata }: ManifestWorkReplicaSet, placement: string, attempt: number): string {
  const { namespace, name = '' } = metadata ?? {};
  if (attempt === 0) return name;
  const digest = createHash('sha256').update(`${namespace}/${name}/${placement}/${attempt}`).digest();
  const suffix = [...digest.subarray(0, suffixLength)].map((byte) => alphabet[byte % alphabet.length]).join('');
  return `${name.slice(0, longestBase)}${suffix}`;
}
