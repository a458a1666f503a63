import { Optional } from '@marcbachmann/cel-js';

/** A value that may be absent, as `optional.of` and `optional.none` make it. */
export const celOptional = (value: unknown): unknown => (value === undefined ? Optional.none() : Optional.of(value));

/** JSON in the types of CEL, where whole numbers are integers. For objects without a schema. */
export function celValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(celValue);
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, celValue(field)]));
}
