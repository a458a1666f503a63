import { isRecord } from '@flotilla/schema';
import { formatElement, keyElement, type PathElement } from './field-path.ts';
import { goSyntax, goType, goValue } from './go-format.ts';
import { fieldNames, fieldOf, isList, isNumber, isScalar, type JsonObject } from './json.ts';
import type { LazyType, ListType, MapType, ValueType } from './object-type.ts';

/** What a walk does with a value once it is clear whether it counts as map, scalar or list. */
export interface TypeCases<T> {
  map(type: MapType): T;
  scalar(type: NonNullable<ValueType['scalar']>): T;
  list(type: ListType): T;
}

/** Narrows a type to what the value is. A value of no allowed kind, null for one, leaves the type as it is. */
export function narrow(type: ValueType, value: unknown): ValueType {
  if (isScalar(value) && type.scalar) return { scalar: type.scalar };
  if (isList(value) && type.list) return { list: type.list };
  if (isRecord(value) && type.map) return { map: type.map };
  return type;
}

/** Whether two types narrowed from one come to the same. */
export const sameNarrowing = (a: ValueType, b: ValueType): boolean =>
  a.scalar === b.scalar && a.list === b.list && a.map === b.map;

/** Calls the case of a narrowed type; a type of several kinds counts as map first, then scalar, then list. */
export function byType<T>(type: ValueType, cases: TypeCases<T>): T {
  if (type.map) return cases.map(type.map);
  if (type.scalar) return cases.scalar(type.scalar);
  if (type.list) return cases.list(type.list);
  throw new TypeError('a type must be at least one of map, scalar and list');
}

/** The type of one field of a map, or undefined when the schema has no such field. */
export const fieldType = (map: MapType, name: string): LazyType | undefined => map.fields.get(name)?.type ?? map.others;

/** The path element of an item of an associative list, or why it cannot have one. */
export function itemElement(list: ListType, item: unknown): PathElement | string {
  return list.keys.length > 0 ? keyedElement(list, item) : setElement(item);
}

function keyedElement(list: ListType, item: unknown): PathElement | string {
  if (item === null) return 'associative list with keys may not have a null element';
  if (!isRecord(item)) return 'associative list with keys may not have non-map elements';
  const itemFields = list.items().map?.fields;
  const found = list.keys.flatMap((name) => {
    const value = Object.hasOwn(item, name) ? item[name] : itemFields?.get(name)?.default;
    return value === undefined ? [] : [{ name, value }];
  });
  if (found.length > 0) return keyElement(found);
  const keys = `[${list.keys.map((key) => JSON.stringify(key)).join(' ')}]`;
  return `associative list with keys has an element that omits all key fields ${keys} (and doesn't have default values for any key fields)`;
}

function setElement(item: unknown): PathElement | string {
  if (isRecord(item)) return "associative list without keys has an element that's a map type";
  if (isList(item)) return 'not supported: associative list with lists as elements';
  if (item === null) return "associative list without keys has an element that's an explicit null";
  return { value: item };
}

/** A violation of the schema, with the path to it. */
interface Violation {
  readonly path: string;
  readonly message: string;
}

/** Thrown for an object that does not fit its schema so badly that its fields have no paths. */
export class TypeMismatch extends Error {
  override readonly name = 'TypeMismatch';
}

/**
 * Checks that a value fits its type: declared fields, kinds of values, keys of list items, and unless allowed no duplicates.
 * This is less than validation, and all that the walks over typed values rely on.
 */
export function checkType(type: ValueType, value: unknown, duplicates: 'allowed' | 'refused'): void {
  const violations = violationsOf(type, value, duplicates, '');
  const [first, ...more] = violations.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  if (first === undefined) return;
  throw new TypeMismatch(more.length === 0 ? first : ['errors:', first, ...more].join('\n  '));
}

function violationsOf(type: ValueType, value: unknown, duplicates: 'allowed' | 'refused', path: string): Violation[] {
  return byType<Violation[]>(narrow(type, value), {
    scalar: (scalar) => scalarViolations(scalar, value, path),
    map: (map) => {
      if (value === null) return [];
      if (!isRecord(value)) return [{ path, message: `expected map, got &{${goValue(value)}}` }];
      return fieldViolations(map, value, duplicates, path);
    },
    list: (list) => {
      if (value === null) return [];
      if (!isList(value)) return [{ path, message: `expected list, got &{${goValue(value)}}` }];
      return itemViolations(list, value, duplicates, path);
    },
  });
}

function fieldViolations(
  map: MapType,
  value: JsonObject,
  duplicates: 'allowed' | 'refused',
  path: string,
): Violation[] {
  const violations: Violation[] = [];
  for (const name of fieldNames(value)) {
    const below = `${path}.${name}`;
    const type = fieldType(map, name);
    // The API server stops at the first field that it does not know.
    if (!type) return [...violations, { path: below, message: 'field not declared in schema' }];
    violations.push(...violationsOf(type(), value[name], duplicates, below));
  }
  return violations;
}

function itemViolations(list: ListType, items: readonly unknown[], duplicates: 'allowed' | 'refused', path: string) {
  const seen = new Set<string>();
  const violations: Violation[] = [];
  for (const [index, item] of items.entries()) {
    const element = list.atomic ? { index } : itemElement(list, item);
    if (typeof element === 'string') return [...violations, { path, message: `element ${index}: ${element}` }];
    const spelling = formatElement(element);
    if (!list.atomic && duplicates === 'refused' && seen.has(spelling)) {
      violations.push({ path, message: `duplicate entries for key ${spelling}` });
    }
    seen.add(spelling);
    violations.push(...violationsOf(list.items(), item, duplicates, `${path}${spelling}`));
  }
  return violations;
}

function scalarViolations(scalar: NonNullable<ValueType['scalar']>, value: unknown, path: string): Violation[] {
  if (value === null) return [];
  switch (scalar) {
    case 'numeric':
      return isNumber(value) ? [] : [{ path, message: `expected numeric (int or float), got ${goType(value)}` }];
    case 'string':
      return typeof value === 'string'
        ? []
        : [{ path, message: `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}` }];
    case 'boolean':
      return typeof value === 'boolean' ? [] : [{ path, message: `expected boolean, got &{${goValue(value)}}` }];
    default:
      return isScalar(value) ? [] : [{ path, message: `expected any scalar, got &{${goValue(value)}}` }];
  }
}

/** The fields of a value that counts as a map; undefined for null and for anything else. */
export const asMap = (value: unknown): JsonObject | undefined => (isRecord(value) ? value : undefined);

/** The items of a value that counts as a list; undefined for null and for anything else. */
export const asList = (value: unknown): readonly unknown[] | undefined => (isList(value) ? value : undefined);

/** Each field that either of two maps has, with both values; undefined where one lacks it. */
export function* zipFields(
  left: JsonObject | undefined,
  right: JsonObject | undefined,
): Generator<[string, unknown, unknown]> {
  for (const name of left ? fieldNames(left) : []) yield [name, left?.[name], right && fieldOf(right, name)];
  for (const name of right ? fieldNames(right) : []) {
    if (!left || fieldOf(left, name) === undefined) yield [name, undefined, right?.[name]];
  }
}
