import { createHash } from 'node:crypto';

/** Settings in a cache do not change: each list is read once. */
const digests = new WeakMap<object, string>();

/**
 * Names settings of a work by what they say. They can be as long as the work, and be for thousands of its manifests, each of which
 * remembers the name.
 */
export function settingsDigest(settings: object): string {
  const known = digests.get(settings);
  if (known !== undefined) return known;
  const digest = createHash('sha256').update(JSON.stringify(settings)).digest('base64');
  digests.set(settings, digest);
  return digest;
}
