import { parseQuantity } from '../../values/quantity.ts';
import { compared, failure, type Library } from './library.ts';

const billion = 1_000_000_000n;
const int64 = 2n ** 63n;

/** An amount of a resource, in billionths. */
class CelQuantity {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }

  get isInteger(): boolean {
    const whole = this.nanos / billion;
    return this.nanos % billion === 0n && whole < int64 && whole >= -int64;
  }
}

function parse(text: string): CelQuantity {
  const { value, error } = parseQuantity(text);
  if (!value) throw failure(error ?? `not a quantity: ${text}`);
  return new CelQuantity(value.nanos);
}

/** Kubernetes' functions on quantities of resources. */
export const registerQuantity: Library = (environment) => {
  const type = 'kubernetes.Quantity';
  environment
    .registerType(type, CelQuantity)
    .registerFunction('isQuantity(string): bool', (text: string) => parseQuantity(text).value !== undefined)
    .registerFunction(`quantity(string): ${type}`, parse)
    .registerFunction(`sign(${type}): int`, ({ nanos }: CelQuantity) => compared(nanos, 0n))
    .registerFunction(`${type}.isInteger(): bool`, (quantity: CelQuantity) => quantity.isInteger)
    .registerFunction(`${type}.asInteger(): int`, (quantity: CelQuantity) => {
      if (!quantity.isInteger) throw failure('cannot convert value to integer');
      return quantity.nanos / billion;
    })
    .registerFunction(`${type}.asApproximateFloat(): double`, ({ nanos }: CelQuantity) => Number(nanos) / 1e9)
    .registerFunction(`${type}.isLessThan(${type}): bool`, (a: CelQuantity, b: CelQuantity) => a.nanos < b.nanos)
    .registerFunction(`${type}.isGreaterThan(${type}): bool`, (a: CelQuantity, b: CelQuantity) => a.nanos > b.nanos)
    .registerFunction(`${type}.compareTo(${type}): int`, (a: CelQuantity, b: CelQuantity) => compared(a.nanos, b.nanos))
    .registerOperator(`${type} == ${type}`, (a: CelQuantity, b: CelQuantity) => a.nanos === b.nanos);
  for (const [name, factor] of [
    ['add', 1n],
    ['sub', -1n],
  ] as const) {
    environment
      .registerFunction(
        `${type}.${name}(${type}): ${type}`,
        (a: CelQuantity, b: CelQuantity) => new CelQuantity(a.nanos + factor * b.nanos),
      )
      .registerFunction(
        `${type}.${name}(int): ${type}`,
        (a: CelQuantity, b: bigint) => new CelQuantity(a.nanos + factor * b * billion),
      );
  }
};
