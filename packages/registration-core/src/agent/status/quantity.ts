/** Amounts by resource, as the API has them. */
export type ResourceList = Readonly<Record<string, string | number>>;

/** How a quantity was written: the suffixes of one family are kept in sums. */
type Format = 'decimal' | 'binary' | 'exponent';

/** An exact amount. */
interface Quantity {
  /** Billionths. */
  readonly nanos: bigint;
  readonly format: Format;
}

const billion = 1_000_000_000n;
const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const shape = /^([+-]?)(\d*)(?:\.(\d*))?([numkMGTPE]|[KMGTPE]i|[eE][+-]?\d{1,2})?$/;

/** Reads a quantity such as `500m`, `1.5Gi` or `3e2`; undefined if it is none. */
function parseQuantity(text: string): Quantity | undefined {
  const match = shape.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', suffix = ''] = match;
  if (!whole && !fraction) return undefined;
  const scale = scaleOf(suffix);
  const numerator = BigInt(`${whole}${fraction}`) * scale.factor * billion;
  const denominator = 10n ** BigInt(fraction.length) * scale.divisor;
  // What is finer than a billionth is rounded up, as Kubernetes does.
  const nanos = numerator / denominator + (numerator % denominator === 0n ? 0n : 1n);
  return { nanos: sign === '-' ? -nanos : nanos, format: scale.format };
}

function scaleOf(suffix: string): { factor: bigint; divisor: bigint; format: Format } {
  const binary = binarySuffixes.indexOf(suffix);
  if (binary > 0) return { factor: 1024n ** BigInt(binary), divisor: 1n, format: 'binary' };
  const decimal = decimalSuffixes.indexOf(suffix);
  if (decimal >= 0) return { ...tenTo((decimal - 3) * 3), format: 'decimal' };
  return { ...tenTo(Number(suffix.slice(1))), format: 'exponent' };
}

const tenTo = (power: number): { factor: bigint; divisor: bigint } =>
  power >= 0 ? { factor: 10n ** BigInt(power), divisor: 1n } : { factor: 1n, divisor: 10n ** BigInt(-power) };

/** The canonical form: no fraction, the largest suffix that is exact. */
function formatQuantity({ nanos, format }: Quantity): string {
  if (nanos === 0n) return '0';
  const sign = nanos < 0n ? '-' : '';
  const size = nanos < 0n ? -nanos : nanos;
  if (format === 'binary' && size % billion === 0n && size / billion >= 1024n) {
    const [count, power] = shorten(size / billion, 1024n, binarySuffixes.length);
    return `${sign}${count}${binarySuffixes[power]}`;
  }
  const [count, power] = shorten(size, 1000n, decimalSuffixes.length);
  if (format !== 'exponent') return `${sign}${count}${decimalSuffixes[power]}`;
  return power === 3 ? `${sign}${count}` : `${sign}${count}e${(power - 3) * 3}`;
}

function shorten(size: bigint, base: bigint, steps: number): [bigint, number] {
  let count = size;
  let power = 0;
  while (power < steps - 1 && count % base === 0n) {
    count /= base;
    power += 1;
  }
  return [count, power];
}

/** The exact sum of each resource, in the form of the first amount that is not zero. What is not a quantity is left out. */
export function sumQuantities(lists: Iterable<ResourceList>): Record<string, string> {
  const sums = new Map<string, Quantity>();
  for (const list of lists) {
    for (const [resource, text] of Object.entries(list)) {
      const amount = parseQuantity(String(text));
      if (!amount) continue;
      const sum = sums.get(resource);
      const format = sum && sum.nanos !== 0n ? sum.format : amount.format;
      sums.set(resource, { nanos: (sum?.nanos ?? 0n) + amount.nanos, format });
    }
  }
  return Object.fromEntries([...sums].map(([resource, sum]) => [resource, formatQuantity(sum)]));
}

/** Whether two lists of amounts are the same by value: `1` is `1000m`. */
export function sameQuantities(a: ResourceList, b: ResourceList): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => {
      const left = parseQuantity(String(a[name]));
      return left !== undefined && left.nanos === parseQuantity(String(b[name]))?.nanos;
    })
  );
}
