const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(Z|[+-]\d{2}:\d{2})$/;

/** A time of the API, or why it is none. */
export function parseTime(text: string): {
  readonly milliseconds?: number;
  readonly micros?: string;
  readonly problem?: string;
} {
  const match = rfc3339.exec(text);
  const milliseconds = match ? Date.parse(text.replace(',', '.')) : Number.NaN;
  if (!match || Number.isNaN(milliseconds)) {
    return {
      problem: `parsing time ${JSON.stringify(text)} as "2006-01-02T15:04:05Z07:00": cannot parse ${JSON.stringify(text)} as "2006"`,
    };
  }
  return { milliseconds, micros: (match[7] ?? '').padEnd(6, '0').slice(0, 6) };
}

/** In UTC, with whole seconds: how the server writes times whatever zone they came in. */
export function canonicalTime(text: string): string {
  const { milliseconds } = parseTime(text);
  return milliseconds === undefined ? text : `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** In UTC, with six digits of a second. */
export function canonicalMicroTime(text: string): string {
  const { milliseconds, micros } = parseTime(text);
  return milliseconds === undefined ? text : `${new Date(milliseconds).toISOString().slice(0, 19)}.${micros}Z`;
}
