import { encodeElement, type FieldPath, type PathElement } from './field-path.ts';
import { FieldSet } from './field-set.ts';
import { equalJson, isEmptyObject, type JsonObject } from './json.ts';
import type { ListType, MapType, ValueType } from './object-type.ts';
import { asList, asMap, byType, fieldType, itemElement, narrow, sameNarrowing, zipFields } from './typed-value.ts';

/** What changed from one object to another; a path is in at most one of the sets. */
export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

/** Compares two values of one type. Both must have passed `checkType`. */
export function compareTyped(type: ValueType, before: unknown, after: unknown): Comparison {
  const comparison = { removed: new FieldSet(), modified: new FieldSet(), added: new FieldSet() };
  compare({ type, before, after, path: [] }, comparison);
  return comparison;
}

/** The comparison without some fields and all below them. */
export function excludeFields(comparison: Comparison, excluded: FieldSet | undefined): Comparison {
  if (!excluded) return comparison;
  return {
    removed: comparison.removed.recursiveDifference(excluded),
    modified: comparison.modified.recursiveDifference(excluded),
    added: comparison.added.recursiveDifference(excluded),
  };
}

/** Two values at one path; undefined where one side does not have it. */
interface Pair {
  readonly type: ValueType;
  readonly before: unknown;
  readonly after: unknown;
  readonly path: FieldPath;
}

function compare(pair: Pair, out: Comparison): void {
  const { type, before, after, path } = pair;
  const typeBefore = narrow(type, before);
  const typeAfter = narrow(type, after);
  const last = after === undefined ? typeBefore : typeAfter;
  // A value that changed its kind is compared as both: what was there goes, what is there comes.
  if (before !== undefined && after !== undefined && !sameNarrowing(typeBefore, typeAfter))
    compareAs(typeBefore, pair, out);
  const isLeaf = compareAs(last, pair, out);
  if (isLeaf) return;
  if (before === undefined) out.added.insert(path);
  else if (after === undefined) out.removed.insert(path);
}

/** Returns whether the pair was compared as a whole. */
function compareAs(type: ValueType, pair: Pair, out: Comparison): boolean {
  return byType(type, {
    scalar: () => compareLeaf(pair, out),
    map: (map) => {
      const [before, after] = [asMap(pair.before), asMap(pair.after)];
      // Two empty ones are a leaf, which keeps null and {} apart.
      if (map.atomic || (isEmpty(before) && isEmpty(after))) return compareLeaf(pair, out);
      for (const [name, left, right] of zipFields(before, after)) compareField(map, name, left, right, pair.path, out);
      return false;
    },
    list: (list) => {
      const [before, after] = [asList(pair.before) ?? [], asList(pair.after) ?? []];
      if (list.atomic || (before.length === 0 && after.length === 0)) return compareLeaf(pair, out);
      compareItems(list, before, after, pair.path, out);
      return false;
    },
  });
}

const isEmpty = (map: JsonObject | undefined): boolean => map === undefined || isEmptyObject(map);

function compareLeaf({ before, after, path }: Pair, out: Comparison): boolean {
  if (before === undefined) out.added.insert(path);
  else if (after === undefined) out.removed.insert(path);
  else if (!equalJson(before, after)) out.modified.insert(path);
  return true;
}

function compareField(
  map: MapType,
  name: string,
  before: unknown,
  after: unknown,
  path: FieldPath,
  out: Comparison,
): void {
  const type = fieldType(map, name);
  if (type) compare({ type: type(), before, after, path: [...path, { field: name }] }, out);
}

interface Items {
  readonly element: PathElement;
  readonly before: unknown[];
  readonly after: unknown[];
}

function compareItems(
  list: ListType,
  before: readonly unknown[],
  after: readonly unknown[],
  path: FieldPath,
  out: Comparison,
): void {
  const all = new Map<string, Items>();
  const gather = (items: readonly unknown[], side: 'before' | 'after') => {
    for (const item of items) {
      const element = itemElement(list, item);
      if (typeof element === 'string') continue;
      const spelling = encodeElement(element);
      const same = all.get(spelling) ?? { element, before: [], after: [] };
      same[side].push(item);
      all.set(spelling, same);
    }
  };
  gather(before, 'before');
  gather(after, 'after');
  for (const items of all.values()) compareSameKey(list, items, [...path, items.element], out);
}

/** Items with one key: usually one on each side. Duplicates have no paths of their own and are compared as one. */
function compareSameKey(list: ListType, items: Items, path: FieldPath, out: Comparison): void {
  const [before, after] = [items.before[0], items.after[0]];
  const duplicateBefore = items.before.length > 1;
  const duplicateAfter = items.after.length > 1;
  if (duplicateBefore && duplicateAfter) {
    if (!equalJson(items.before, items.after)) out.modified.insert(path);
  } else if (duplicateBefore) {
    if (after !== undefined) compare({ type: list.items(), before: undefined, after, path }, out);
    out.removed.insert(path);
  } else if (duplicateAfter) {
    if (before !== undefined) compare({ type: list.items(), before, after: undefined, path }, out);
    out.added.insert(path);
  } else {
    compare({ type: list.items(), before, after, path }, out);
  }
}
