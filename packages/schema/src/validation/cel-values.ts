import { isRecord, type Json, type JsonObject } from '@flotilla/rules/values';
import { schemaOfField } from './schema-walk.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** Reserved words of CEL, which cannot be field names; Kubernetes puts them between underscores. */
const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/** The name of a field inside a rule, or undefined if rules cannot reach it. */
const escapedName = (name: string): string | undefined => {
  if (RESERVED.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_.\-/][A-Za-z0-9_.\-/]*$/.test(name)) return undefined;
  return name
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__');
};

const celObject = (value: JsonObject, schema: StructuralSchema | undefined): Record<string, unknown> => {
  // Maps keep their keys; only fields that the schema names are escaped.
  const declared = schema?.properties !== undefined;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, field]) => {
      const name = declared ? escapedName(key) : key;
      return name === undefined ? [] : [[name, toCelValue(field, schemaOfField(schema, key))]];
    }),
  );
};

/** A JSON value in the types that rules see: integers, times and bytes are distinguished by the schema. */
export const toCelValue = (value: Json, schema: StructuralSchema | undefined): unknown => {
  if (Array.isArray(value)) return value.map((item) => toCelValue(item, schema?.items));
  if (isRecord(value)) return celObject(value, schema);
  if (typeof value === 'number') {
    const asDouble = schema?.type === 'number' || !Number.isInteger(value);
    return asDouble ? value : BigInt(value);
  }
  if (typeof value === 'bigint') return schema?.type === 'number' ? Number(value) : value;
  if (typeof value === 'string') {
    if (schema?.format === 'date-time' || schema?.format === 'date') return new Date(value);
    if (schema?.format === 'byte') return new Uint8Array(Buffer.from(value, 'base64'));
  }
  return value;
};
