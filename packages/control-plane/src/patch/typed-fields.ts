import { isRecord } from '@flotilla/schema';
import type { FieldPath, PathElement } from './field-path.ts';
import { FieldSet } from './field-set.ts';
import { fieldNames, isEmptyObject } from './json.ts';
import { deducedType, type ListType, type MapType, type ValueType } from './object-type.ts';
import { asList, asMap, byType, fieldType, itemElement, narrow } from './typed-value.ts';

/** The paths that a manager owns by applying this value: its leaves, the items of its lists and the entries of its maps. */
export function fieldsOf(type: ValueType, value: unknown): FieldSet {
  const set = new FieldSet();
  collect(type, value, set);
  return set;
}

/** Adds what is owned below a value, and returns whether the value itself is owned as a whole. */
function collect(type: ValueType, value: unknown, set: FieldSet): boolean {
  return byType(narrow(type, value), {
    scalar: () => true,
    map: (map) => map.atomic || collectFields(map, value, set),
    list: (list) => list.atomic || collectItems(list, value, set),
  });
}

function collectFields(map: MapType, value: unknown, set: FieldSet): boolean {
  const fields = asMap(value) ?? {};
  for (const name of fieldNames(fields)) {
    const field = fields[name];
    const below = new FieldSet();
    const isLeaf = collect(fieldType(map, name)?.() ?? deducedType, field, below);
    const isEmpty = field === null || (isRecord(field) && isEmptyObject(field));
    // An entry of a map is owned as such; a named field only where nothing below it can be.
    set.add({ field: name }, isLeaf || isEmpty || !map.fields.has(name), below);
  }
  return false;
}

function collectItems(list: ListType, value: unknown, set: FieldSet): boolean {
  for (const item of asList(value) ?? []) {
    const element = itemElement(list, item);
    if (typeof element === 'string') continue;
    const below = new FieldSet();
    // Items with the same key cannot be distinguished, so they are owned together and nothing below them is.
    if (!set.node(element)) collect(list.items(), item, below);
    set.add(element, true, below);
  }
  return false;
}

/**
 * The set and the named fields on the way to its members: owning `.spec.template.x` then means owning `.spec` and
 * `.spec.template` as well. Used while fields are removed, so that a struct goes when all that was owned of it goes.
 */
export function withNamedFields(set: FieldSet, type: ValueType | undefined): FieldSet {
  const result = new FieldSet();
  for (const { element, isMember, below } of set.nodes) {
    const isNamed = below !== undefined && 'field' in element && (type?.map?.fields.has(element.field) ?? false);
    result.add(element, isMember || isNamed, below && withNamedFields(below, typeBelow(type, element)));
  }
  return result;
}

function typeBelow(type: ValueType | undefined, element: PathElement): ValueType | undefined {
  if ('field' in element) return type?.map && fieldType(type.map, element.field)?.();
  return 'key' in element ? type?.list?.items() : undefined;
}

/**
 * A set that was written under an earlier schema: what was owned inside of a list or map that has become atomic
 * is now owned as that list or map.
 */
export function reconcileWithType(set: FieldSet, type: ValueType): FieldSet {
  const atomic: FieldPath[] = [];
  findAtomic(set, type, [], atomic);
  if (atomic.length === 0) return set;
  const roots = FieldSet.of(...atomic);
  return set.recursiveDifference(roots).union(roots);
}

function findAtomic(set: FieldSet, type: ValueType, path: FieldPath, found: FieldPath[]): void {
  byType<void>(type, {
    scalar: () => {},
    map: (map) => {
      if (map.deduced) return;
      if (map.atomic) found.push(path);
      else descend((element) => ('field' in element ? fieldType(map, element.field)?.() : map.others?.()));
    },
    list: (list) => (list.atomic ? void found.push(path) : descend(() => list.items())),
  });
  function descend(typeOf: (element: PathElement) => ValueType | undefined): void {
    for (const { element, below } of set.nodes) {
      const type = below && typeOf(element);
      if (type) findAtomic(below, type, [...path, element], found);
    }
  }
}
