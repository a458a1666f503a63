import { stringifyJson } from '@flotilla/kube/meta';

/** JSON as Go writes it: compact, keys sorted, and safe to put into HTML. */
export function goJson(value: unknown): string {
  return stringifyJson(sorted(value)).replace(
    /[<>&\u2028\u2029]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, field]) => [key, sorted(field)] as const);
  return Object.fromEntries(entries.sort(([left], [right]) => Buffer.compare(Buffer.from(left), Buffer.from(right))));
}
