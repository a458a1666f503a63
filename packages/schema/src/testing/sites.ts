import { isRecord, type Json } from '@flotilla/rules/values';
import { child, index } from '../validation/field-error.ts';
import { schemaOfField } from '../validation/schema-walk.ts';
import type { StructuralSchema } from '../validation/structural-schema.ts';

/** A place in an object that a breakage can change. */
export interface Site {
  /** Path in Kubernetes' form. */
  readonly field: string;
  readonly schema: StructuralSchema;
  readonly value: Json;
  replace(value: Json): void;
}

/** Every place of an object that its schema describes, the object itself excepted. */
export const sitesOf = (value: Json, schema: StructuralSchema, field = ''): Site[] => {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!items) return [];
    return value.flatMap((item, at) => {
      const replace = (changed: Json): void => {
        value[at] = changed;
      };
      const path = index(field, at);
      return [{ field: path, schema: items, value: item, replace }, ...sitesOf(item, items, path)];
    });
  }
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, content]) => {
    const of = schemaOfField(schema, key);
    if (!of) return [];
    const replace = (changed: Json): void => {
      value[key] = changed;
    };
    const path = child(field, key);
    return [{ field: path, schema: of, value: content, replace }, ...sitesOf(content, of, path)];
  });
};
