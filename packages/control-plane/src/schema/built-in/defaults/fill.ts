import { isRecord, type Json, type JsonObject } from '@flotilla/schema';

/** Sets defaults on an object of its own: it may change it. Its values are of the right types, since it was decoded. */
export type Defaulter = (object: JsonObject) => void;

/** Sets each field that is absent. */
export function fill(object: JsonObject, defaults: Readonly<Record<string, Json>>): void {
  for (const [name, value] of Object.entries(defaults)) object[name] ??= structuredClone(value);
}

/** The object in a field, if there is one. */
export function child(object: JsonObject, name: string): JsonObject | undefined {
  const value = object[name];
  return isRecord(value) ? value : undefined;
}

/** The object in a field, made if it is absent. */
export function ensure(object: JsonObject, name: string): JsonObject {
  const value = child(object, name);
  if (value) return value;
  const made: JsonObject = {};
  object[name] = made;
  return made;
}

/** The objects of a list. */
export function children(object: JsonObject | undefined, name: string): JsonObject[] {
  const value = object?.[name];
  return Array.isArray(value) ? value.filter((item) => isRecord(item)) : [];
}

/** The objects of a map. */
export const entries = (object: JsonObject | undefined): [string, JsonObject][] =>
  Object.entries(object ?? {}).flatMap(([name, value]) => (isRecord(value) ? [[name, value]] : []));

export const textAt = (object: JsonObject | undefined, name: string): string => {
  const value = object?.[name];
  return typeof value === 'string' ? value : '';
};
