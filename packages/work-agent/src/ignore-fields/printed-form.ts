import { createHash } from 'node:crypto';

/**
 * The hash that OCM's agent puts on objects applied with ignored fields: md5 over what Go prints for the object with `%v`.
 * With any other hash, taking over from OCM's agent would write every such object once more, over the changes it was told to keep.
 */
export function printedFormHash(object: unknown): string {
  return createHash('md5')
    .update(`&{${printedForm(object)}}`)
    .digest('hex');
}

/** A value of JSON as Go prints it with `%v`. */
export function printedForm(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'number') return printedNumber(value);
  if (Array.isArray(value)) return `[${value.map(printedForm).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  entries.sort(([left], [right]) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
  return `map[${entries.map(([key, field]) => `${key}:${printedForm(field)}`).join(' ')}]`;
}

/** Beyond it, Go decodes whole numbers as floating point, too. */
const int64Limit = 2 ** 63;

/** Whole numbers in full; others by their fewest digits, with an exponent from 1e+06 up and below 1e-04. */
function printedNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < int64Limit) return BigInt(value).toString();
  const [mantissa = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  // A fraction this large or small is told by JavaScript without an exponent, as Go tells it.
  if (exponent >= -4 && exponent < 6) return String(value);
  const digits = String(Math.abs(exponent)).padStart(2, '0');
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${digits}`;
}
