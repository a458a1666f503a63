import { isRecord, type Json, type JsonObject } from '@flotilla/rules/values';
import { schemaOfField } from './schema-walk.ts';
import type { StructuralSchema } from './structural-schema.ts';

const copyOf = (value: Json): Json => structuredClone(value);

/** Null where the schema neither allows it nor has a default means the same as leaving the field out. */
const dropNulls = (value: Json, schema: StructuralSchema | undefined): void => {
  if (Array.isArray(value)) {
    for (const item of value) dropNulls(item, schema?.items);
  } else if (isRecord(value)) {
    for (const key of Object.keys(value)) {
      const field = schemaOfField(schema, key);
      const content = value[key] ?? null;
      if (content === null && field && !field.nullable && field.default === undefined) delete value[key];
      else dropNulls(content, field);
    }
  }
};

const fillObject = (value: JsonObject, schema: StructuralSchema): void => {
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    if (property.default === undefined) continue;
    if (!Object.hasOwn(value, key) || (value[key] === null && !property.nullable))
      value[key] = copyOf(property.default);
  }
  for (const key of Object.keys(value)) {
    const field = schemaOfField(schema, key);
    if (!field) continue;
    if (value[key] === null && !field.nullable && field.default !== undefined) value[key] = copyOf(field.default);
    fill(value[key] ?? null, field);
  }
};

const fill = (value: Json, schema: StructuralSchema): void => {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!items) return;
    for (const [at, item] of value.entries()) {
      if (item === null && !items.nullable && items.default !== undefined) value[at] = copyOf(items.default);
      fill(value[at] ?? null, items);
    }
  } else if (isRecord(value)) {
    fillObject(value, schema);
  }
};

/**
 * Sets defaults as the API server does: only where the parent is present or itself has a default, and for a null
 * that the schema does not allow. Other such nulls are removed.
 */
export const applyDefaultsInPlace = (object: JsonObject, schema: StructuralSchema): void => {
  dropNulls(object, schema);
  fill(object, schema);
};
