import { isRecord, stringifyJson } from '@flotilla/schema';
import { compareText, fieldOf, isList, isNumber, isScalar } from './json.ts';

/** One key of an item of an associative list. */
export interface KeyField {
  readonly name: string;
  readonly value: unknown;
}

/** One step of a path: a field, an item by its keys, an item of a set by its value, an item by its index. */
export type PathElement =
  | { readonly field: string }
  | { readonly key: readonly KeyField[] }
  | { readonly value: unknown }
  | { readonly index: number };

/** From the root of the object to a field or list item. */
export type FieldPath = readonly PathElement[];

/** A path element for a list item with these keys; keys are kept in byte order of their names. */
export const keyElement = (fields: readonly KeyField[]): PathElement => ({
  key: fields.toSorted((a, b) => compareText(a.name, b.name)),
});

/** A path of field names only. */
export const fieldPath = (...names: readonly string[]): FieldPath => names.map((field) => ({ field }));

/** A path element as FieldsV1 spells it: `f:spec`, `k:{"name":"x"}`, `v:"x"`, `i:0`. Equal elements have equal spellings. */
export function encodeElement(element: PathElement): string {
  if ('field' in element) return `f:${element.field}`;
  if ('key' in element) {
    return `k:{${element.key.map(({ name, value }) => `${JSON.stringify(name)}:${stringifyJson(value)}`).join(',')}}`;
  }
  if ('value' in element) return `v:${stringifyJson(element.value)}`;
  return `i:${element.index}`;
}

/**
 * Reads a spelling of FieldsV1. Integers beyond 2^53 are rounded here, as kube-apiserver rounds them: a set of them has no exact owners.
 * Undefined for a kind of element that only a later version knows; throws when it is malformed.
 */
export function decodeElement(text: string): PathElement | undefined {
  if (text[1] !== ':') throw new SyntaxError(`missing colon: ${text}`);
  const content = text.slice(2);
  switch (text[0]) {
    case 'f':
      return { field: content };
    case 'v':
      return { value: JSON.parse(content) };
    case 'k': {
      const fields: unknown = JSON.parse(content);
      if (!isRecord(fields)) throw new SyntaxError(`the keys of a list item must be an object: ${text}`);
      return keyElement(Object.entries(fields).map(([name, value]) => ({ name, value })));
    }
    case 'i': {
      const index = /^[+-]?\d+$/.test(content) ? Number(content) : Number.NaN;
      if (!Number.isSafeInteger(index)) throw new SyntaxError(`the index of a list item must be an integer: ${text}`);
      return { index };
    }
    default:
      return undefined;
  }
}

/** A path as conflicts and errors show it: `.spec.containers[name="app"].image`. */
export const formatPath = (path: FieldPath): string => path.map(formatElement).join('');

/** One step of `formatPath`. */
export function formatElement(element: PathElement): string {
  if ('field' in element) return `.${element.field}`;
  if ('key' in element) return `[${element.key.map(({ name, value }) => `${name}=${formatValue(value)}`).join(',')}]`;
  if ('value' in element) return `[=${formatValue(element.value)}]`;
  return `[${element.index}]`;
}

function formatValue(value: unknown): string {
  if (isList(value)) return `[${value.map(formatValue).join(',')}]`;
  if (isRecord(value))
    return Object.entries(value)
      .map(([key, field]) => `${key}=${formatValue(field)}`)
      .join('');
  return stringifyJson(value);
}

/** The canonical order of FieldsV1: fields, then keyed items, then values, then indexes, each in its own order. */
export function compareElements(a: PathElement, b: PathElement): number {
  const byKind = kindRank(a) - kindRank(b);
  if (byKind !== 0) return byKind;
  if ('field' in a && 'field' in b) return compareText(a.field, b.field);
  if ('key' in a && 'key' in b) return compareKeys(a.key, b.key);
  if ('value' in a && 'value' in b) return compareValues(a.value, b.value);
  return 'index' in a && 'index' in b ? a.index - b.index : 0;
}

const kindRank = (element: PathElement): number =>
  'field' in element ? 0 : 'key' in element ? 1 : 'value' in element ? 2 : 3;

function compareKeys(a: readonly KeyField[], b: readonly KeyField[]): number {
  for (const [index, left] of a.entries()) {
    const right = b[index];
    if (right === undefined) return 1;
    const order = compareText(left.name, right.name) || compareValues(left.value, right.value);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Numbers before strings before booleans before lists before objects before null. */
function compareValues(a: unknown, b: unknown): number {
  const byKind = valueRank(a) - valueRank(b);
  if (byKind !== 0) return byKind;
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : 0;
  if (isScalar(a) && isScalar(b)) return Number(a) - Number(b);
  if (isList(a) && isList(b)) return compareLists(a, b);
  return isRecord(a) && isRecord(b) ? compareLists(flatten(a), flatten(b)) : 0;
}

function compareLists(a: readonly unknown[], b: readonly unknown[]): number {
  for (const [index, left] of a.entries()) {
    if (index >= b.length) return 1;
    const order = compareValues(left, b[index]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

const flatten = (object: { readonly [key: string]: unknown }): unknown[] =>
  Object.keys(object)
    .sort(compareText)
    .flatMap((key) => [key, fieldOf(object, key)]);

function valueRank(value: unknown): number {
  const order = ['number', 'string', 'boolean'];
  if (isNumber(value)) return 0;
  if (isScalar(value)) return order.indexOf(typeof value);
  return isList(value) ? 3 : isRecord(value) ? 4 : 5;
}
