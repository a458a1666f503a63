import { canonicalText, isRecord, type Json } from '@flotilla/rules/values';
import { child, duplicate, type FieldError, index, invalid } from './field-error.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** The key of an item, as far as it is there: absent keys are equal to one another. */
const keyOf = (item: Json, keys: readonly string[]): Json =>
  Object.fromEntries(
    keys.flatMap((key) => (isRecord(item) && Object.hasOwn(item, key) ? [[key, item[key] ?? null]] : [])),
  );

const repeated = (identities: readonly Json[], path: string): FieldError[] => {
  const seen = new Map<string, number>();
  return identities.flatMap((identity, at) => {
    const text = canonicalText(identity);
    const times = seen.get(text) ?? 0;
    seen.set(text, times + 1);
    // The server names the second appearance only.
    return times === 1 ? [duplicate(index(path, at), identity)] : [];
  });
};

const listErrors = (list: readonly Json[], schema: StructuralSchema, path: string): FieldError[] => {
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return repeated(list, path);
    case 'map': {
      const strange = list.findIndex((item) => item !== null && !isRecord(item));
      if (strange >= 0)
        return [
          invalid(
            index(path, strange),
            list[strange] ?? null,
            'must be an object with the keys of the list',
            'must be an object for an array of list-type map',
          ),
        ];
      return repeated(
        list.map((item) => keyOf(item, schema['x-kubernetes-list-map-keys'] ?? [])),
        path,
      );
    }
    default:
      return [];
  }
};

/** Items that repeat in lists of type set, and keys that repeat in lists of type map. */
export const validateListTypes = (value: Json, schema: StructuralSchema | undefined, path: string): FieldError[] => {
  if (!schema) return [];
  if (Array.isArray(value)) {
    return [
      ...listErrors(value, schema, path),
      ...value.flatMap((item, at) => validateListTypes(item, schema.items, index(path, at))),
    ];
  }
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, field]) => {
    if (schema.properties && Object.hasOwn(schema.properties, key)) {
      return validateListTypes(field, schema.properties[key], child(path, key));
    }
    const values = schema.additionalProperties;
    return typeof values === 'object' ? validateListTypes(field, values, `${path}[${key}]`) : [];
  });
};
