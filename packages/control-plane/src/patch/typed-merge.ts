import { isRecord } from '@flotilla/schema';
import { encodeElement } from './field-path.ts';
import type { FieldSet } from './field-set.ts';
import { fieldNames, isEmptyObject, isList, type JsonObject, type MutableJsonObject, setField } from './json.ts';
import type { ListType, MapType, ValueType } from './object-type.ts';
import { asList, asMap, byType, fieldType, itemElement, narrow, zipFields } from './typed-value.ts';

/**
 * The live value with the applied one merged over it. Nothing is removed; undefined means there is nothing.
 * Both must have passed `checkType`, the applied one without duplicates.
 */
export function mergeTyped(type: ValueType, live: unknown, applied: unknown): unknown {
  const last = applied === undefined ? narrow(type, live) : narrow(type, applied);
  const leaf = () => (applied === undefined ? live : applied);
  return byType<unknown>(last, {
    scalar: leaf,
    map: (map) => {
      const [left, right] = [asMap(live), asMap(applied)];
      // Two empty ones are a leaf, which keeps null and {} apart.
      const isEmpty = isEmptyObject(left ?? {}) && isEmptyObject(right ?? {});
      return map.atomic || isEmpty ? leaf() : mergeFields(map, left, right);
    },
    list: (list) => {
      const [left, right] = [asList(live) ?? [], asList(applied) ?? []];
      return list.atomic || (left.length === 0 && right.length === 0) ? leaf() : mergeItems(list, left, right);
    },
  });
}

function mergeFields(map: MapType, live: ReturnType<typeof asMap>, applied: ReturnType<typeof asMap>): unknown {
  const merged: MutableJsonObject = {};
  for (const [name, left, right] of zipFields(live, applied)) {
    const type = fieldType(map, name);
    const value = type && mergeTyped(type(), left, right);
    if (value !== undefined) setField(merged, name, value);
  }
  return isEmptyObject(merged) ? undefined : merged;
}

interface IndexedItems {
  /** Spelled path elements in list order. */
  readonly order: readonly string[];
  /** Null for items that occur twice: they are replaced as a whole, not merged. */
  readonly values: ReadonlyMap<string, unknown>;
}

function indexItems(list: ListType, items: readonly unknown[]): IndexedItems {
  const values = new Map<string, unknown>();
  const order = items.flatMap((item) => {
    const element = itemElement(list, item);
    if (typeof element === 'string') return [];
    const spelling = encodeElement(element);
    values.set(spelling, values.has(spelling) ? null : item);
    return [spelling];
  });
  return { order, values };
}

/**
 * Merges two associative lists. Items keep the order of the applied list; what only the live list has stays where it was
 * relative to the items that both have.
 */
function mergeItems(list: ListType, liveItems: readonly unknown[], appliedItems: readonly unknown[]): unknown {
  const live = indexItems(list, liveItems);
  const applied = indexItems(list, appliedItems);
  const shared = applied.order.filter((spelling) => live.values.has(spelling));
  let nextShared = 0;
  const done = new Set<string>();
  const merged: unknown[] = [];
  const take = (left: unknown, right: unknown) => {
    const value = mergeTyped(list.items(), left, right);
    if (value !== undefined) merged.push(value);
  };
  const takeApplied = (spelling: string) => {
    done.add(spelling);
    take(live.values.get(spelling), applied.values.get(spelling));
    if (shared[nextShared] === spelling) nextShared++;
  };

  let left = 0;
  let right = 0;
  while (left < live.order.length || right < applied.order.length) {
    const ours = live.order[left];
    const theirs = applied.order[right];
    if (ours !== undefined && ours === theirs) {
      takeApplied(ours);
      left++;
      right++;
    } else if (
      ours !== undefined &&
      theirs !== undefined &&
      applied.values.has(ours) &&
      nextShared < shared.length &&
      shared[nextShared] !== ours
    ) {
      // Both have it, but its turn in the applied order is another one.
      left++;
    } else if (ours !== undefined && !applied.values.has(ours)) {
      take(liveItems[left], undefined);
      left++;
    } else {
      if (ours !== undefined && done.has(ours)) left++;
      if (theirs !== undefined) {
        takeApplied(theirs);
        right++;
      }
    }
  }
  return merged.length > 0 ? merged : undefined;
}

/** The value without the fields and items of a set. A container that loses all it had becomes null. */
export function removeTyped(type: ValueType, value: unknown, removed: FieldSet): unknown {
  return byType<unknown>(narrow(type, value), {
    scalar: () => value,
    map: (map) => (isRecord(value) && !map.atomic ? removeFields(map, value, removed) : null),
    list: (list) => (isList(value) && !list.atomic ? removeItems(list, value, removed) : null),
  });
}

function removeFields(map: MapType, value: JsonObject, removed: FieldSet): unknown {
  const kept: MutableJsonObject = {};
  for (const name of fieldNames(value)) {
    const field = value[name];
    const node = removed.node({ field: name });
    if (node?.isMember) continue;
    const type = fieldType(map, name);
    setField(kept, name, node?.below && type ? removeTyped(type(), field, node.below) : field);
  }
  return isEmptyObject(kept) ? null : kept;
}

function removeItems(list: ListType, items: readonly unknown[], removed: FieldSet): unknown {
  const kept = items.flatMap((item) => {
    const element = itemElement(list, item);
    if (typeof element === 'string') return [item];
    const node = removed.node(element);
    if (node?.isMember) return [];
    return [node?.below ? removeTyped(list.items(), item, node.below) : item];
  });
  return kept.length > 0 ? kept : null;
}
