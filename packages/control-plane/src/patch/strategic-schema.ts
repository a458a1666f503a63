import type { ResolveSchema, StructuralSchema } from '../contracts/structural-schema.ts';
import { plainError } from './refusal.ts';

/** A schema on the way through a strategic merge patch: resolved, with the name of its Go struct for messages. */
export interface PatchSchema {
  readonly schema: StructuralSchema;
  readonly name: string;
  readonly resolve: ResolveSchema;
}

/** How a field is patched. */
export interface PatchField {
  /** The schema of the field, or of the items if it is a list. */
  readonly below: PatchSchema;
  /** `merge` lists are merged, `replace` maps are replaced; anything else is the default of its kind. */
  readonly strategy: string;
  /** Empty for lists of scalars. */
  readonly mergeKey: string;
}

/** How a map field is patched. Throws as the API server does when the kind has no such field. */
export function mapField(parent: PatchSchema, key: string): PatchField {
  const property = propertyOf(parent, key);
  return { ...strategyOf(property), below: patchSchema(property, parent.resolve) };
}

/** How a list field is patched. */
export function listField(parent: PatchSchema, key: string): PatchField {
  const property = propertyOf(parent, key);
  const { schema } = patchSchema(property, parent.resolve);
  if (!schema.items) throw plainError('expected slice or array type, but got: struct');
  return { ...strategyOf({ ...schema, ...property }), below: patchSchema(schema.items, parent.resolve) };
}

function propertyOf({ schema, name }: PatchSchema, key: string): StructuralSchema {
  const properties = schema.properties ?? {};
  const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (property) return property;
  if (schema.properties === undefined && schema.additionalProperties !== undefined) {
    throw plainError('merging an object in json but data type is not struct, instead is: map');
  }
  throw plainError(`unable to find api field in struct ${name} for the json field ${JSON.stringify(key)}`);
}

function strategyOf(property: StructuralSchema): Pick<PatchField, 'strategy' | 'mergeKey'> {
  const strategies = property['x-kubernetes-patch-strategy']?.split(',') ?? [];
  return {
    strategy: strategies.find((strategy) => strategy !== 'retainKeys') ?? '',
    mergeKey: property['x-kubernetes-patch-merge-key'] ?? '',
  };
}

/** The schema behind a reference. */
export function patchSchema(schema: StructuralSchema, resolve: ResolveSchema): PatchSchema {
  const reference = schema.$ref === undefined ? (schema.allOf?.[0] ?? schema) : schema;
  return { schema: resolve(reference), name: reference.$ref?.split('.').at(-1) ?? '', resolve };
}
