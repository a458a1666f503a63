import { encodeElement, type FieldPath, type PathElement } from './field-path.ts';
import { FieldSet } from './field-set.ts';
import { fieldsIn, isEmptyObject, isObject } from './json.ts';
import type { ListType, MapType, ValueType } from './object-type.ts';
import { asList, asMap, byType, fieldType, itemElement, narrow } from './typed-value.ts';

/** The paths that someone who applies this value owns: its leaves, the items of its lists and the entries of its maps. */
export function fieldsOf(type: ValueType, value: unknown): FieldSet {
  const set = new FieldSet();
  collect(type, value, [], set);
  return set;
}

function collect(type: ValueType, value: unknown, path: FieldPath, set: FieldSet): void {
  byType<void>(narrow(type, value), {
    scalar: () => set.insert(path),
    map: (map) => (map.atomic ? set.insert(path) : collectFields(map, value, path, set)),
    list: (list) => (list.atomic ? set.insert(path) : collectItems(list, value, path, set)),
  });
}

function collectFields(map: MapType, value: unknown, path: FieldPath, set: FieldSet): void {
  for (const [name, field] of fieldsIn(asMap(value) ?? {})) {
    const below = [...path, { field: name }];
    const type = fieldType(map, name);
    if (type) collect(type(), field, below, set);
    const isEmpty = field === null || (isObject(field) && isEmptyObject(field));
    // An entry of a map is owned as such; a named field only where nothing below it can be.
    if (isEmpty || !map.fields.has(name)) set.insert(below);
  }
}

function collectItems(list: ListType, value: unknown, path: FieldPath, set: FieldSet): void {
  const items = (asList(value) ?? []).flatMap((item): { element: PathElement; item: unknown }[] => {
    const element = itemElement(list, item);
    return typeof element === 'string' ? [] : [{ element, item }];
  });
  const count = Map.groupBy(items, ({ element }) => encodeElement(element));
  for (const { element, item } of items) {
    const below = [...path, element];
    set.insert(below);
    // Items with the same key cannot be told apart, so they are owned together.
    if (count.get(encodeElement(element))?.length === 1) collect(list.items(), item, below, set);
  }
}

/**
 * The set and the named fields on the way to its members: owning `.spec.template.x` then means owning `.spec` and
 * `.spec.template` as well. Used while fields are removed, so that a struct goes when all that was owned of it goes.
 */
export function withNamedFields(set: FieldSet, type: ValueType | undefined): FieldSet {
  const result = new FieldSet();
  for (const element of set.members) result.insert([element]);
  for (const { element, set: below } of set.children) {
    if ('field' in element && type?.map?.fields.has(element.field)) result.insert([element]);
    result.insertChild(element, withNamedFields(below, typeBelow(type, element)));
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
    for (const { element, set: below } of set.children) {
      const type = typeOf(element);
      if (type) findAtomic(below, type, [...path, element], found);
    }
  }
}
