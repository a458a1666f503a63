import { createHash } from 'node:crypto';
import { isRecord, type KubeObject, stringifyJson } from '@flotilla/schema';

/** What says which object it is and how it fares: not part of the configuration. */
const ignored: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

const hashes = new WeakMap<KubeObject, string>();

/**
 * The hash of a configuration object, byte-equal to that of OCM: SHA-256 over all fields but its type, metadata and status. The object
 * must be as the server gave it: a default that a type adds, or a digit that a number loses, gives another hash.
 */
export function specHash(config: KubeObject): string {
  const known = hashes.get(config);
  if (known !== undefined) return known;
  const content = Object.fromEntries(Object.entries(config).filter(([field]) => !ignored.has(field)));
  const hash = createHash('sha256').update(goJson(content)).digest('hex');
  hashes.set(config, hash);
  return hash;
}

/** JSON as Go writes a map: keys by their bytes, and what HTML would read is escaped. */
export function goJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => goJson(item ?? null)).join(',')}]`;
  if (typeof value === 'string') return goString(value);
  if (!isRecord(value)) return stringifyJson(value);
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return `{${fields.map(([key, field]) => `${goString(key)}:${goJson(field)}`).join(',')}}`;
}

const escaped = /[<>&\u2028\u2029]/g;

const goString = (text: string): string =>
  // Half a surrogate pair is not a character in UTF-8.
  JSON.stringify(text.toWellFormed()).replace(
    escaped,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
