import type { StructuralSchema as PlainSchema } from '@flotilla/schema/validation';

/**
 * The one form of a schema in this package, for built-in kinds and custom ones alike: a structural schema as a CustomResourceDefinition
 * writes it, and for built-in kinds references into their shared definitions and the keys of strategic merge patches.
 */
export interface StructuralSchema
  extends Omit<PlainSchema, 'properties' | 'additionalProperties' | 'items' | 'allOf' | 'anyOf' | 'oneOf' | 'not'> {
  /** Followed by `ResolveSchema`. */
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: StructuralSchema | boolean;
  readonly items?: StructuralSchema;
  readonly allOf?: StructuralSchema[];
  readonly anyOf?: StructuralSchema[];
  readonly oneOf?: StructuralSchema[];
  readonly not?: StructuralSchema;
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
}

/** Follows `$ref`; a schema without one is returned as it is. */
export type ResolveSchema = (schema: StructuralSchema) => StructuralSchema;
