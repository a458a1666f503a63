import { isRecord, type KubeObject } from '@flotilla/schema';

/** A decoded JSON object. Its keys come from users, so they are only read through `fieldOf` and written through `withField`. */
export type JsonObject = { readonly [key: string]: unknown };

/** True for a JSON array. */
export const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** True for a number, also for an integer that is too large for one and therefore a bigint. */
export const isNumber = (value: unknown): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

/** True for a string, number or boolean. */
export const isScalar = (value: unknown): value is string | number | bigint | boolean =>
  typeof value === 'string' || typeof value === 'boolean' || isNumber(value);

/** A JSON object under the name the rest of the server has for it; what is inside was checked by the schema, not here. */
export const isKubeObject = (value: unknown): value is KubeObject => isRecord(value);

/** The value of an own field, or undefined; never something inherited such as `constructor`. */
export const fieldOf = (object: JsonObject, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined;

/**
 * The names of the fields of an object. A field that a caller set to undefined is not there: JSON has no such thing.
 * Every walk goes through here, so it makes no arrays besides the one of the names.
 */
export function fieldNames(object: JsonObject): string[] {
  const names = Object.keys(object);
  for (const name of names) if (object[name] === undefined) return names.filter((each) => object[each] !== undefined);
  return names;
}

/** Whether an object has no fields. */
export const isEmptyObject = (object: JsonObject): boolean => fieldNames(object).length === 0;

/** A copy with one field set. Object.fromEntries defines the field even when it is called `__proto__`. */
export function withField(object: JsonObject, key: string, value: unknown): JsonObject {
  return { ...object, ...Object.fromEntries([[key, value]]) };
}

/** A copy without one field. */
export function withoutField(object: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

/** A JSON object that its maker still changes. */
export type MutableJsonObject = { [key: string]: unknown };

/** Sets an own field in place, even one called `__proto__`. */
export function setField(object: MutableJsonObject, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}

/** A deep copy that shares nothing with the original. */
export function cloneJson(value: unknown): unknown {
  if (isList(value)) return value.map(cloneJson);
  if (!isRecord(value)) return value;
  const copy: MutableJsonObject = {};
  for (const [key, field] of Object.entries(value)) setField(copy, key, cloneJson(field));
  return copy;
}

/** The value at a path of field names, or undefined when anything on the way is not an object. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((parent, key) => (isRecord(parent) ? fieldOf(parent, key) : undefined), value);
}

/** Whether two JSON values are the same; the order of fields does not matter. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isList(a)) return isList(b) && a.length === b.length && a.every((item, index) => equalJson(item, b[index]));
  if (!isRecord(a) || !isRecord(b)) return false;
  const names = fieldNames(a);
  return names.length === fieldNames(b).length && names.every((name) => equalJson(a[name], fieldOf(b, name)));
}

const surrogate = /[\ud800-\udfff]/;

/** Orders strings by their UTF-8 bytes, as Go does; JavaScript's own order differs for characters outside the basic plane. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (!surrogate.test(a) && !surrogate.test(b)) return a < b ? -1 : 1;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left === right) continue;
    const leftIsSurrogate = left >= 0xd800 && left <= 0xdfff;
    const rightIsSurrogate = right >= 0xd800 && right <= 0xdfff;
    if (leftIsSurrogate !== rightIsSurrogate) return leftIsSurrogate ? 1 : -1;
    return left < right ? -1 : 1;
  }
  return Math.sign(a.length - b.length);
}
