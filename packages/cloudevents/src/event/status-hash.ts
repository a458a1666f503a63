import { createHash } from 'node:crypto';
import type { ManifestWork } from '@flotilla/api-types';
import { stringifyJson } from '@flotilla/kube/meta';
import { isRecord } from '@flotilla/schema';

/** What Go's JSON writer escapes in strings, beside what all writers do. */
const goEscapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** Identifies the status of a ManifestWork: SHA-256 of its JSON as Go writes it, with keys in order. Lower-case hex. */
export function statusHash(status: ManifestWork['status']): string {
  // Go has no absent struct: `resourceStatus` is always there.
  const json = stringifyJson(inKeyOrder({ resourceStatus: {}, ...status }));
  const asGo = json.replace(/[<>&\u2028\u2029]/g, (character) => goEscapes[character] ?? character);
  return createHash('sha256').update(asGo).digest('hex');
}

function inKeyOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inKeyOrder);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, child]) => [key, inKeyOrder(child)]));
}
