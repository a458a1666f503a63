import type { Json, JsonObject } from './structural-schema.ts';

/** True for a JSON object, not for a list or null. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What the API server receives of a value: undefined fields vanish, dates become text. The copy may be changed. */
export const toWire = (value: unknown): Json => {
  const text = JSON.stringify(value);
  return text === undefined ? null : (JSON.parse(text) as Json);
};

/** Text that is equal for values that differ only in the order of keys. */
export const canonicalText = (value: Json): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const fields = Object.keys(value).sort();
  return `{${fields.map((key) => `${JSON.stringify(key)}:${canonicalText(value[key] ?? null)}`).join(',')}}`;
};

/** True if both values are the same JSON. */
export const deepEqual = (left: Json, right: Json): boolean => {
  if (left === right) return true;
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, at) => deepEqual(item, right[at] ?? null));
  }
  if (!isObject(left) || !isObject(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && deepEqual(left[key] ?? null, right[key] ?? null))
  );
};
