const unitsMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const wholeDuration = /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))+$/;
const durationPart = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/g;

/** Milliseconds of a duration as Go writes it: `90s`, `1h30m`, `0`. */
export function goDurationMs(text: string): number {
  if (text === '0') return 0;
  if (!wholeDuration.test(text)) throw new Error(`"${text}" is not a duration such as 30s, 5m or 1h30m`);
  let ms = 0;
  for (const [, number, unit = ''] of text.matchAll(durationPart)) ms += Number(number) * (unitsMs[unit] ?? 0);
  return text.startsWith('-') ? -ms : ms;
}

/** Milliseconds of a progress deadline; Infinity for none. */
export function deadlineMs(text = ''): number {
  if (text === '' || text === 'None') return Number.POSITIVE_INFINITY;
  // As published: it accepts any text that starts with a duration, which is then read as a whole.
  if (!/^(([0-9])+[h|m|s])|None$/.test(text)) throw new Error('invalid timeout format');
  return goDurationMs(text);
}

/** A count, or a percentage of a total. What is not between 1 and the total means the default, as in OCM. */
export function thresholdOf(limit: number | string | undefined, total: number, otherwise: number): number {
  if (limit === undefined) return otherwise;
  const percent = typeof limit === 'string' ? /^(\d+)%$/.exec(limit)?.[1] : undefined;
  if (typeof limit === 'string' && percent === undefined) {
    throw new Error(`'${limit}' is an invalid maximum threshold value: string is not a percentage`);
  }
  const size = percent === undefined ? Number(limit) : Math.ceil((Number(percent) / 100) * total);
  return size <= 0 || size > total ? otherwise : size;
}
