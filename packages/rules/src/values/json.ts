import { parseJson, stringifyJson } from './exact-json.ts';

/** A JSON value. An integer that a number cannot hold is a bigint, as `parseJson` reads it. */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  [key: string]: Json;
}

/** True for an object with fields, not for a list or null. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What the API server receives of a value: undefined fields vanish, dates become text. The copy may be changed. */
export const toWire = (value: unknown): Json => {
  const text = stringifyJson(value);
  return text === undefined ? null : (parseJson(text) as Json);
};

/** Text that is equal for values that differ only in the order of keys. */
export const canonicalText = (value: Json): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (!isRecord(value)) return stringifyJson(value);
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
  if (!isRecord(left) || !isRecord(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && deepEqual(left[key] ?? null, right[key] ?? null))
  );
};
