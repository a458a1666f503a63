const descriptors = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

interface Bounds {
  readonly from: number;
  readonly to: number;
  readonly names?: readonly string[];
}

const fields: readonly Bounds[] = [
  { from: 0, to: 59 },
  { from: 0, to: 23 },
  { from: 1, to: 31 },
  { from: 1, to: 12, names: months },
  { from: 0, to: 6, names: days },
];

/** Why a schedule cannot be read, in the words of the server; undefined if it can. */
export function cronError(schedule: string): string | undefined {
  const text = schedule.replace(/^(?:CRON_)?TZ=\S*\s+/, '').trim();
  if (text.startsWith('@')) {
    if (descriptors.includes(text) || /^@every \S+$/.test(text)) return undefined;
    return `unrecognized descriptor: ${text}`;
  }
  const parts = text.split(/\s+/).filter((part) => part !== '');
  if (parts.length !== fields.length) {
    return `expected exactly ${fields.length} fields, found ${parts.length}: [${parts.join(' ')}]`;
  }
  for (const [at, bounds] of fields.entries()) {
    for (const range of (parts[at] ?? '').split(',')) {
      const error = rangeError(range, bounds);
      if (error !== undefined) return error;
    }
  }
  return undefined;
}

function rangeError(range: string, bounds: Bounds): string | undefined {
  const [ends = '', step, ...more] = range.split('/');
  if (more.length > 0) return `too many slashes: ${range}`;
  const [low = '', high, ...others] = ends.split('-');
  if (others.length > 0) return `too many hyphens: ${range}`;
  let from = bounds.from;
  let to = bounds.to;
  if (low !== '*' && low !== '?') {
    const first = numberOf(low, bounds);
    const last = high === undefined ? first : numberOf(high, bounds);
    if (first === undefined) return unreadable(low);
    if (last === undefined) return unreadable(high ?? '');
    from = first;
    to = high === undefined && step !== undefined ? bounds.to : last;
  }
  if (step !== undefined) {
    if (!/^\d+$/.test(step)) return unreadable(step);
    if (Number(step) === 0) return `step of range should be a positive number: ${range}`;
  }
  if (from < bounds.from) return `beginning of range (${from}) below minimum (${bounds.from}): ${range}`;
  if (to > bounds.to) return `end of range (${to}) above maximum (${bounds.to}): ${range}`;
  if (from > to) return `beginning of range (${from}) beyond end of range (${to}): ${range}`;
  return undefined;
}

function numberOf(text: string, { names, from }: Bounds): number | undefined {
  if (/^\d+$/.test(text)) return Number(text);
  const at = names?.indexOf(text.toLowerCase()) ?? -1;
  return at < 0 ? undefined : at + from;
}

const unreadable = (text: string): string =>
  `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
