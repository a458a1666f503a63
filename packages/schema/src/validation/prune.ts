import { isRecord, type Json, type JsonObject } from '@flotilla/rules/values';
import { child, index } from './field-error.ts';
import { isMetaField } from './schema-walk.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** Whether unknown fields of this very object are kept; children with a schema of their own are pruned again. */
type Mode = 'prune' | 'keep';

const visitObject = (
  value: JsonObject,
  schema: StructuralSchema | undefined,
  path: string,
  mode: Mode,
  unknown: string[],
): void => {
  for (const key of Object.keys(value)) {
    if (schema?.['x-kubernetes-embedded-resource'] && isMetaField(key)) continue;
    const field = value[key] ?? null;
    if (schema?.properties && Object.hasOwn(schema.properties, key)) {
      visit(field, schema.properties[key], child(path, key), 'prune', unknown);
    } else if (schema?.additionalProperties) {
      // `true` lets any field in but says nothing of its content, which is then unknown.
      const values = schema.additionalProperties === true ? undefined : schema.additionalProperties;
      visit(field, values, child(path, key), 'prune', unknown);
    } else if (mode === 'prune') {
      unknown.push(child(path, key));
      delete value[key];
    }
  }
};

const visit = (
  value: Json,
  schema: StructuralSchema | undefined,
  path: string,
  mode: Mode,
  unknown: string[],
): void => {
  const here: Mode = schema?.['x-kubernetes-preserve-unknown-fields'] ? 'keep' : mode;
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) visit(item, schema?.items, index(path, at), here, unknown);
  } else if (isRecord(value) && (schema || here === 'prune')) {
    visitObject(value, schema, path, here, unknown);
  }
};

/**
 * Removes from the object every field that the schema does not know, and returns their paths.
 * The root counts as a resource: its apiVersion, kind and metadata stay.
 */
export const pruneInPlace = (object: JsonObject, schema: StructuralSchema): string[] => {
  const unknown: string[] = [];
  visit(object, { ...schema, 'x-kubernetes-embedded-resource': true }, '', 'prune', unknown);
  return unknown.sort();
};
