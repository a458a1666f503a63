import { isRecord } from '@flotilla/schema';
import { goType, goValue } from './go-format.ts';
import { fieldOf, isList, type JsonObject } from './json.ts';
import { plainError, unprocessable } from './refusal.ts';

/** The key that says what to do with a map or list item. */
export const directiveKey = '$patch';

/** How to merge two lists whose strategy is `merge`. */
export interface ListMerge {
  readonly mergeKey: string;
  /** The patch lists scalars to delete. */
  readonly deletes: boolean;
  mergeItem(original: JsonObject, patch: JsonObject): JsonObject;
}

type List = readonly unknown[];

/** Merges a patch list into the original one and keeps the order of both as far as they agree. */
export function mergeLists(original: List, patch: List, options: ListMerge): List {
  if (original.length === 0 && patch.length === 0) return original;
  if (kindOfItems(original, patch) !== 'object') {
    const patched = new Set(patch);
    if (options.deletes) return original.filter((item) => !patched.has(item));
    return orderItems([...new Set([...original, ...patch])], patch, original, '');
  }
  if (options.mergeKey === '') throw plainError('cannot merge lists without merge key for struct');
  const rest = applyItemDirectives(original, patch, options.mergeKey);
  const merged = mergeItems(rest.original, rest.patch, options);
  return orderItems(merged, rest.patch, rest.original, options.mergeKey);
}

/** A patch list taken apart: items with `$patch` delete items of the original or replace all of it, the others are merged. */
interface ItemDirectives {
  readonly deleted: ReadonlySet<unknown>;
  readonly replace: boolean;
  readonly plain: List;
}

function itemDirectives(patch: List, mergeKey: string): ItemDirectives {
  const deleted = new Set<unknown>();
  let replace = false;
  const plain: unknown[] = [];
  for (const item of patch) {
    const directive = isRecord(item) ? fieldOf(item, directiveKey) : undefined;
    if (!isRecord(item) || directive === undefined) plain.push(item);
    else if (directive === 'delete') deleted.add(mergeKeyOf(item, mergeKey));
    else if (directive === 'replace') replace = true;
    else if (directive === 'merge') throw plainError('merging lists cannot yet be specified in the patch');
    else throw unknownDirective(directive, item);
  }
  return { deleted, replace, plain };
}

const keyIn = (keys: { has(key: unknown): boolean }, item: unknown, mergeKey: string): boolean =>
  isRecord(item) && keys.has(fieldOf(item, mergeKey));

function applyItemDirectives(original: List, patch: List, mergeKey: string): { original: List; patch: List } {
  const { deleted, replace, plain } = itemDirectives(patch, mergeKey);
  if (replace) return { original: plain, patch: [] };
  return { original: original.filter((item) => !keyIn(deleted, item, mergeKey)), patch: plain };
}

/**
 * The live order that a `$setElementOrder` starts from. The API server reads it from the live list after new items have been
 * written into the places that deleted ones left, so such an item counts as if it had always been there.
 */
export function liveOrder(original: List, patch: List, mergeKey: string): List {
  if (mergeKey === '') return original;
  const { deleted, replace, plain } = itemDirectives(patch, mergeKey);
  const kept = original.filter((item) => !keyIn(deleted, item, mergeKey));
  const keptKeys = new Set(kept.map((item) => (isRecord(item) ? fieldOf(item, mergeKey) : undefined)));
  const added = replace ? [] : plain.filter((item) => !keyIn(keptKeys, item, mergeKey));
  return [...kept, ...added].slice(0, original.length);
}

function mergeItems(original: List, patch: List, options: ListMerge): List {
  const merged = [...original];
  const indexes = new Map<unknown, number>();
  for (const [index, item] of original.entries()) {
    const value = isRecord(item) ? fieldOf(item, options.mergeKey) : undefined;
    if (value !== undefined && !indexes.has(value)) indexes.set(value, index);
  }
  for (const item of patch) {
    if (!isRecord(item)) continue;
    const value = mergeKeyOf(item, options.mergeKey);
    const index = indexes.get(value);
    const found = index === undefined ? undefined : merged[index];
    if (index !== undefined && isRecord(found)) merged[index] = options.mergeItem(found, item);
    else indexes.set(value, merged.push(item) - 1);
  }
  return merged;
}

/** The value of an item's merge key, which it must have. */
function mergeKeyOf(item: unknown, mergeKey: string): unknown {
  if (!isRecord(item)) throw wrongType('map[string]interface {}', item);
  if (!Object.hasOwn(item, mergeKey))
    throw plainError(`map: ${goValue(item)} does not contain declared merge key: ${mergeKey}`);
  return item[mergeKey];
}

/**
 * Orders merged items: those that `order` names as it names them, the others as in `server`, and both among each other by
 * `server` where it knows both.
 */
export function orderItems(merged: List, order: List, server: List, mergeKey: string): List {
  const keyOf = (item: unknown) => (mergeKey === '' ? item : mergeKeyOf(item, mergeKey));
  const inOrder = positions(order.map(keyOf));
  const onServer = positions(server.map(keyOf));
  const places = merged.map((item): Placed => {
    const key = keyOf(item);
    return { item, order: inOrder.get(key) ?? -1, server: onServer.get(key) ?? -1 };
  });
  const named = sortBy(
    places.filter(({ order }) => order >= 0),
    ({ order }) => order,
  );
  const others = sortBy(
    places.filter(({ order }) => order < 0),
    ({ server }) => server,
  );
  const result: Placed[] = [];
  let next = 0;
  for (const place of named) {
    const isBefore = (other: Placed | undefined): other is Placed =>
      other !== undefined && other.server >= 0 && other.server < place.server;
    for (let other = others[next]; isBefore(other); other = others[++next]) result.push(other);
    result.push(place);
  }
  return [...result, ...others.slice(next)].map(({ item }) => item);
}

/** An item with its places in the wanted order and on the server; -1 where it is not. */
interface Placed {
  readonly item: unknown;
  readonly order: number;
  readonly server: number;
}

function positions(keys: readonly unknown[]): Map<unknown, number> {
  const found = new Map<unknown, number>();
  for (const [index, key] of keys.entries()) if (!found.has(key)) found.set(key, index);
  return found;
}

/**
 * Items without a place count as smaller than whatever stands before them, as they do in the API server: each item goes right after the last
 * one so far that is not larger, and to the front if there is none. A list may be long, so that this item is not searched for in the list.
 */
function sortBy(items: Placed[], placeOf: (item: Placed) => number): Placed[] {
  const placed = items.filter((item) => placeOf(item) >= 0).sort((a, b) => placeOf(a) - placeOf(b));
  if (placed.length === items.length) return placed;
  const before = predecessors(items, placed);
  const after = new Map<Placed | undefined, Placed>();
  for (const item of items) {
    const predecessor = before.get(item);
    const next = after.get(predecessor);
    after.set(predecessor, item);
    if (next) after.set(item, next);
  }
  const sorted: Placed[] = [];
  for (let item = after.get(undefined); item; item = after.get(item)) sorted.push(item);
  return sorted;
}

/** Of each item the one before it among those that came earlier. `placed` has the items with a place in order. */
function predecessors(items: readonly Placed[], placed: readonly Placed[]): Map<Placed, Placed | undefined> {
  const before = new Map(placed.map((item, index) => [item, placed[index - 1]]));
  const after = new Map(placed.map((item, index) => [item, placed[index + 1]]));
  // The last one is taken out first, so that the neighbours of an item came before it.
  for (const item of items.toReversed()) {
    const [left, right] = [before.get(item), after.get(item)];
    if (left) after.set(left, right);
    if (right) before.set(right, left);
  }
  return before;
}

/** Checks that the items of a patch list come in the order of its `$setElementOrder` list, which must name them all. */
export function checkOrder(patch: List, order: List, mergeKey: string): void {
  if (order.length === 0 || patch.length === 0) return;
  const kept = mergeKey === '' ? patch : patch.filter((item) => !isDelete(item));
  let next = 0;
  for (const named of order) {
    while (next < kept.length && hasDirective(kept[next])) next++;
    if (next >= kept.length) return;
    const same =
      mergeKey === '' ? kept[next] === named : mergeKeyOf(kept[next], mergeKey) === mergeKeyOf(named, mergeKey);
    if (same) next++;
  }
  if (next < kept.length) {
    throw plainError(
      `The order in patch list:\n${goValue(patch)}\n doesn't match $setElementOrder list:\n${goValue(order)}\n`,
    );
  }
}

function isDelete(item: unknown): boolean {
  if (!isRecord(item)) throw wrongType('map[string]interface {}', item);
  return fieldOf(item, directiveKey) === 'delete';
}

const hasDirective = (item: unknown): boolean => isRecord(item) && Object.hasOwn(item, directiveKey);

/** All items of the lists must be of one kind, and not lists. */
export function kindOfItems(...lists: readonly List[]): string {
  const [kind, ...more] = new Set(
    lists.flat().map((item) => (isList(item) ? 'list' : item === null ? 'null' : typeof item)),
  );
  if (kind === undefined) throw plainError('no elements in any of the given slices');
  if (kind === 'list') throw unprocessable('lists of lists are not supported');
  if (more.length > 0 || kind === 'null') throw plainError(`list element types are not identical: ${goValue(lists)}`);
  return kind;
}

/** The refusal of a value of another type than the patch format asks for. */
export const wrongType = (expected: string, value: unknown) =>
  plainError(`expected a ${expected}, but received a ${value === null ? '%!s(<nil>)' : goType(value)}`);

/** The refusal of a `$patch` that is none of the known ones. */
export const unknownDirective = (directive: unknown, map: JsonObject) =>
  plainError(`unknown patch type: ${goValue(directive)} in map: ${goValue(map)}`);
