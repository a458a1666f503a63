import { canonicalQuantity, isRecord, type Json, type JsonObject } from '@flotilla/schema';
import type { StructuralSchema } from '../../contracts/structural-schema.ts';
import { resolveBuiltIn } from '../built-in.ts';
import { canonicalMicroTime, canonicalTime } from './time.ts';
import table from './zero-values.json' with { type: 'json' };

/**
 * The real server reads objects into Go structs and writes them from there, so that empty values come and go: `hostNetwork: false` is
 * not written, `resources: {}` is, although no client set it. What it does with which field is in zero-values.json.
 */
interface ZeroValues {
  /** Fields that are not written when they hold their zero value. */
  readonly omit?: readonly string[];
  /** Fields that are always written, and their zero value. */
  readonly write?: Readonly<Record<string, Json>>;
}

const rules = table as Readonly<Record<string, ZeroValues>>;

const isZero = (value: Json): boolean =>
  value === '' ||
  value === 0 ||
  value === false ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

/** A copy without the values that are the same as leaving them out, and with times and quantities in their one form. */
export function omitZeroValues(value: Json, schema: StructuralSchema): Json {
  if (schema.$ref?.endsWith('.Quantity')) return canonicalQuantity(String(value));
  if (schema.$ref?.endsWith('.meta.v1.Time')) return canonicalTime(String(value));
  if (schema.$ref?.endsWith('.meta.v1.MicroTime')) return canonicalMicroTime(String(value));
  const shape = resolveBuiltIn(schema);
  if (Array.isArray(value)) {
    const { items } = shape;
    return items ? value.map((item) => (item === null ? null : omitZeroValues(item, items))) : value;
  }
  if (!isRecord(value) || (!shape.properties && !shape.additionalProperties)) return value;
  const omit = new Set(rules[schema.$ref ?? '']?.omit ?? []);
  const kept: JsonObject = {};
  for (const [key, field] of Object.entries(value)) {
    const known =
      shape.properties?.[key] ??
      (typeof shape.additionalProperties === 'object' ? shape.additionalProperties : undefined);
    if (field === null && known) {
      // Null in a map of texts is an empty text; anywhere else it is the same as leaving the field out.
      if (!shape.properties && known.type === 'string') kept[key] = '';
      continue;
    }
    const next = known ? omitZeroValues(field, known) : field;
    const isGone = (omit.has(key) && isZero(next)) || (known && (isEmptyMap(next, known) || isEmptyList(next)));
    if (!isGone) kept[key] = next;
  }
  return kept;
}

/** The stored form does not distinguish an empty list from none. */
const isEmptyList = (value: Json): boolean => Array.isArray(value) && value.length === 0;

/** A map without entries is the same as none; a struct without fields is not, since it may stand behind a pointer. */
const isEmptyMap = (value: Json, schema: StructuralSchema): boolean =>
  isRecord(value) &&
  Object.keys(value).length === 0 &&
  schema.$ref === undefined &&
  typeof schema.additionalProperties === 'object';

/** A copy with the values that the server writes although no client set them. */
export function writeZeroValues(value: Json, schema: StructuralSchema): Json {
  const shape = resolveBuiltIn(schema);
  if (Array.isArray(value)) {
    const { items } = shape;
    return items ? value.map((item) => (item === null ? item : writeZeroValues(item, items))) : value;
  }
  if (!isRecord(value) || (!shape.properties && !shape.additionalProperties)) return value;
  const written: JsonObject = {};
  for (const [key, field] of Object.entries(value)) {
    const known =
      shape.properties?.[key] ??
      (typeof shape.additionalProperties === 'object' ? shape.additionalProperties : undefined);
    written[key] = known ? writeZeroValues(field, known) : field;
  }
  for (const [key, zero] of Object.entries(rules[schema.$ref ?? '']?.write ?? {})) {
    const known = shape.properties?.[key];
    if (written[key] === undefined && known) written[key] = writeZeroValues(structuredClone(zero), known);
  }
  return written;
}
