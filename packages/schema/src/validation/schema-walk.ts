import type { StructuralSchema } from './structural-schema.ts';

/** The schema of a field of an object: a named property, or what all further fields must be. */
export const schemaOfField = (schema: StructuralSchema | undefined, name: string): StructuralSchema | undefined => {
  if (!schema) return undefined;
  if (schema.properties && Object.hasOwn(schema.properties, name)) return schema.properties[name];
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
};

/** The fields of an object that is a Kubernetes resource, whatever its schema says. */
export const isMetaField = (name: string): boolean => name === 'apiVersion' || name === 'kind' || name === 'metadata';
