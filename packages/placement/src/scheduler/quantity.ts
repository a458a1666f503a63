import { parseQuantity } from '@flotilla/schema';

const decimal = /^([+-]?\d*)(?:\.(\d*))?([numkMGTPE]?)$/;
const powers: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };

/**
 * A quantity as a double, computed as Kubernetes computes it: the digits times a power of ten. Dividing instead would differ in
 * the last bit, and a score could then differ by one. Undefined if the text is not a quantity.
 */
export function quantityAsNumber(text: string): number | undefined {
  const { value } = parseQuantity(text);
  if (!value) return undefined;
  const match = decimal.exec(text.trim());
  if (!match) return Number(value.nanos) / 1e9;
  const [, whole = '', fraction = '', suffix = ''] = match;
  const exponent = (powers[suffix] ?? 0) - fraction.length;
  const digits = Number(`${whole}${fraction}`);
  return exponent === 0 ? digits : digits * Number(`1e${exponent}`);
}
