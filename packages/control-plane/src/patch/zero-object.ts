import type { ResolveSchema, StructuralSchema } from '../schema/structural-schema.ts';
import { isEmptyObject, isObject, type JsonObject, type MutableJsonObject, setField } from './json.ts';

/**
 * The JSON of an empty object of a built-in kind. The API server's Go structs write some fields even when nothing is in them
 * (`spec: {}`, `containers: null`), and a create owns only what differs from that. OpenAPI shows these fields by their default
 * (the zero value of the type) or by being required.
 */
export function zeroObject(schema: StructuralSchema, resolve: ResolveSchema): JsonObject {
  const zero: MutableJsonObject = {};
  const { properties = {}, required = [] } = resolve(schema);
  for (const [name, property] of Object.entries(properties)) {
    const value = zeroValue(property, required.includes(name), resolve);
    if (value !== undefined) setField(zero, name, value);
  }
  return zero;
}

function zeroValue(property: StructuralSchema, required: boolean, resolve: ResolveSchema): unknown {
  const { default: value } = property;
  if (isObject(value) && isEmptyObject(value)) return zeroObject(structOf(property), resolve);
  if (value === '' || value === 0 || value === false) return value;
  // Pointers and lists of required fields are written as null.
  return required && value === undefined ? null : undefined;
}

/** OpenAPI v3 wraps a reference in an allOf of one where it gives the field a default. */
const structOf = (property: StructuralSchema): StructuralSchema => property.allOf?.[0] ?? property;
