import { compareElements, decodeElement, encodeElement, type PathElement } from './field-path.ts';
import { FieldSet } from './field-set.ts';
import { isObject, type JsonObject } from './json.ts';

/** A field set as managedFields has it: a tree of spelled path elements in canonical order, `.` for an inner path that is a member. */
export function encodeFieldsV1(set: FieldSet): JsonObject {
  return encodeLevel(set, false);
}

function encodeLevel(set: FieldSet, isMember: boolean): JsonObject {
  const elements = new Map<string, PathElement>();
  for (const element of set.members) elements.set(encodeElement(element), element);
  for (const { element } of set.children) elements.set(encodeElement(element), element);
  const ordered = [...elements].sort(([, a], [, b]) => compareElements(a, b));
  const level = ordered.map(([spelling, element]): [string, JsonObject] => {
    const child = set.child(element);
    return [spelling, child ? encodeLevel(child, set.hasMember(element)) : {}];
  });
  return Object.fromEntries(isMember ? [['.', {}], ...level] : level);
}

/** Reads what `encodeFieldsV1` wrote. Elements of an unknown kind are dropped; malformed ones throw. */
export function decodeFieldsV1(fields: unknown): FieldSet {
  if (!isObject(fields)) throw new SyntaxError('fieldsV1 must be an object');
  const set = new FieldSet();
  for (const [spelling, below] of Object.entries(fields)) {
    if (spelling === '.') continue;
    const element = decodeElement(spelling);
    if (element === undefined) continue;
    const children = decodeFieldsV1(below);
    if (isMember(below, children)) set.insert([element]);
    set.insertChild(element, children);
  }
  return set;
}

/** An element with nothing below it is a member, as is one with a dot. */
const isMember = (below: unknown, children: FieldSet): boolean =>
  children.isEmpty || (isObject(below) && Object.hasOwn(below, '.'));
