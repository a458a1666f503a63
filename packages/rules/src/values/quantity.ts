/** A resource quantity: `count` billionths, and the family of suffixes it was written with. */
interface Parsed {
  readonly nanos: bigint;
  readonly format: 'decimal' | 'binary' | 'exponent';
}

const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const shape = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(.*)$/s;
const regexSentence = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const suffixSentence = "unable to parse quantity's suffix";
const largest = 2n ** 63n - 1n;

/** Reads a quantity; `error` is the sentence the server refuses it with. */
export function parseQuantity(text: string): { readonly value?: Parsed; readonly error?: string } {
  const match = shape.exec(text.trim());
  if (!match) return { error: regexSentence };
  const [, sign = '', digits = '', suffix = ''] = match;
  if (!/^[eEinumkKMGTP]*[-+]?\d*$/.test(suffix)) return { error: regexSentence };
  const scale = scaleOf(suffix);
  if (!scale) return { error: suffixSentence };
  const [whole, fraction] = significant(digits);
  const places = fraction.length;
  let numerator = BigInt(`${whole}${fraction}` || '0') * scale.factor * 1_000_000_000n;
  let denominator = 10n ** BigInt(places) * scale.divisor;
  if (denominator < 0n) [numerator, denominator] = [-numerator, -denominator];
  // Anything smaller than a billionth is rounded up, away from zero.
  let nanos = numerator / denominator + (numerator % denominator === 0n ? 0n : 1n);
  if (nanos / 1_000_000_000n > largest) nanos = largest * 1_000_000_000n;
  return { value: { nanos: sign === '-' ? -nanos : nanos, format: scale.format } };
}

/** With an exponent of three digits no digit matters that is further away from the point, but that there is one. */
const maxDigits = 1100;

/** The digits before and after the point, of which there may be megabytes. */
function significant(digits: string): readonly [whole: string, fraction: string] {
  const [whole = '', fraction = ''] = digits.split('.');
  const first = whole.search(/[1-9]/);
  const isLarge = first >= 0 && whole.length - first > maxDigits;
  const rest = /[1-9]/.test(fraction.slice(maxDigits)) ? '1' : '';
  return [
    isLarge ? `1${'0'.repeat(maxDigits)}` : whole.slice(Math.max(0, whole.length - maxDigits)),
    `${fraction.slice(0, maxDigits)}${rest}`,
  ];
}

function scaleOf(suffix: string): { factor: bigint; divisor: bigint; format: Parsed['format'] } | undefined {
  const binary = binarySuffixes.indexOf(suffix);
  if (binary > 0) return { factor: 1024n ** BigInt(binary), divisor: 1n, format: 'binary' };
  const decimal = decimalSuffixes.indexOf(suffix);
  if (decimal >= 0) return { ...powerOfTen((decimal - 3) * 3), format: 'decimal' };
  const exponent = /^[eE]([+-]?\d{1,3})$/.exec(suffix);
  return exponent ? { ...powerOfTen(Number(exponent[1])), format: 'exponent' } : undefined;
}

const powerOfTen = (power: number): { factor: bigint; divisor: bigint } =>
  power >= 0 ? { factor: 10n ** BigInt(power), divisor: 1n } : { factor: 1n, divisor: 10n ** BigInt(-power) };

/** The one way the server writes a quantity: no fraction, the largest suffix that keeps it exact. */
export function canonicalQuantity(text: string): string {
  const { value } = parseQuantity(text);
  return value ? formatQuantity(value) : text;
}

function formatQuantity({ nanos, format }: Parsed): string {
  if (nanos === 0n) return '0';
  const sign = nanos < 0n ? '-' : '';
  const size = nanos < 0n ? -nanos : nanos;
  const whole = size % 1_000_000_000n === 0n ? size / 1_000_000_000n : undefined;
  // Binary suffixes cannot say fractions, and the server does not use them for less than one Ki.
  if (format === 'binary' && whole !== undefined && whole >= 1024n) return `${sign}${inBinary(whole)}`;
  return `${sign}${inDecimal(size, format === 'exponent')}`;
}

function inBinary(whole: bigint): string {
  let count = whole;
  let power = 0;
  while (power < binarySuffixes.length - 1 && count % 1024n === 0n) {
    count /= 1024n;
    power++;
  }
  return `${count}${binarySuffixes[power]}`;
}

function inDecimal(nanos: bigint, asExponent: boolean): string {
  let count = nanos;
  let power = 0;
  while (power < decimalSuffixes.length - 1 && count % 1000n === 0n) {
    count /= 1000n;
    power++;
  }
  if (!asExponent) return `${count}${decimalSuffixes[power]}`;
  const exponent = (power - 3) * 3;
  return exponent === 0 ? `${count}` : `${count}e${exponent}`;
}

/** Compares two quantities; what is none counts as zero. */
export function compareQuantities(left: string, right: string): number {
  const a = parseQuantity(left).value?.nanos ?? 0n;
  const b = parseQuantity(right).value?.nanos ?? 0n;
  return a < b ? -1 : a > b ? 1 : 0;
}

const zero: Parsed = { nanos: 0n, format: 'decimal' };

/** The sum of two quantities, in the suffixes of the first unless that is nothing; what is not a quantity counts as zero. */
export function addQuantities(left: string, right: string): string {
  const a = parseQuantity(left).value ?? zero;
  const b = parseQuantity(right).value ?? zero;
  return formatQuantity({ nanos: a.nanos + b.nanos, format: a.nanos === 0n ? b.format : a.format });
}

/** What is left of the first after the second is taken away. */
export function subtractQuantities(left: string, right: string): string {
  const { nanos, format } = parseQuantity(right).value ?? zero;
  return addQuantities(left, formatQuantity({ nanos: -nanos, format }));
}
