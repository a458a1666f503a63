const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(Z|[+-]\d{2}:\d{2})$/;
const seconds = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/;

const layouts = { time: '2006-01-02T15:04:05Z07:00', microTime: '2006-01-02T15:04:05.000000Z07:00' } as const;

/** Why a string is not a time of the API, with the message of the server; undefined if it is one. */
export function timeError(text: string, kind: 'time' | 'microTime'): string | undefined {
  const match = rfc3339.exec(text);
  const isTime = match !== null && !Number.isNaN(Date.parse(text.replace(',', '.')));
  // A MicroTime has its six digits, neither more nor fewer.
  if (isTime && (kind === 'time' || match[7]?.length === 6)) return undefined;
  const [rest, wanted] = isTime && kind === 'microTime' ? [text.replace(seconds, ''), '.000000'] : [text, '2006'];
  return `parsing time ${JSON.stringify(text)} as "${layouts[kind]}": cannot parse ${JSON.stringify(rest)} as "${wanted}"`;
}

const inUtc = (text: string): string => new Date(Date.parse(text.replace(',', '.'))).toISOString().slice(0, 19);

/** In UTC, with whole seconds: how the server writes times whatever zone they came in. */
export const canonicalTime = (text: string): string =>
  timeError(text, 'time') === undefined ? `${inUtc(text)}Z` : text;

/** In UTC, with six digits of a second. */
export const canonicalMicroTime = (text: string): string =>
  timeError(text, 'microTime') === undefined ? `${inUtc(text)}.${rfc3339.exec(text)?.[7]}Z` : text;
