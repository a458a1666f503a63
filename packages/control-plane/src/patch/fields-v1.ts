import { isRecord } from '@flotilla/schema';
import { decodeElement, encodeElement } from './field-path.ts';
import { FieldSet } from './field-set.ts';
import type { JsonObject, MutableJsonObject } from './json.ts';

/** A field set as managedFields has it: a tree of spelled path elements in canonical order, `.` for an inner path that is a member. */
export function encodeFieldsV1(set: FieldSet): JsonObject {
  return encodeLevel(set, false);
}

function encodeLevel(set: FieldSet, isMember: boolean): JsonObject {
  // Every spelling starts with its kind, so no key is `__proto__` or a number, and the order of insertion is that of the JSON.
  const level: MutableJsonObject = isMember ? { '.': {} } : {};
  for (const { element, isMember, below } of set.sortedNodes()) {
    level[encodeElement(element)] = below ? encodeLevel(below, isMember) : {};
  }
  return level;
}

/** Reads what `encodeFieldsV1` wrote. Elements of an unknown kind are dropped; malformed ones throw SyntaxError. */
export function decodeFieldsV1(fields: unknown): FieldSet {
  if (!isRecord(fields)) throw new SyntaxError('fieldsV1 must be an object');
  const set = new FieldSet();
  for (const [spelling, value] of Object.entries(fields)) {
    const element = spelling === '.' ? undefined : decodeElement(spelling);
    if (element === undefined) continue;
    const below = decodeFieldsV1(value);
    // An element with nothing below it is a member, as is one with a dot.
    set.add(element, below.isEmpty || (isRecord(value) && Object.hasOwn(value, '.')), below);
  }
  return set;
}
