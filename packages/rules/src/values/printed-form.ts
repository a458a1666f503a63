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
  // Both JavaScript and Go print a fraction of this size without an exponent.
  if (exponent >= -4 && exponent < 6) return String(value);
  const digits = String(Math.abs(exponent)).padStart(2, '0');
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${digits}`;
}
