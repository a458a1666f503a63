import type { Static, TArray, TObject, TProperties, TSchema, TUnsafe } from 'typebox';
import { Type } from 'typebox';
import type { EmbeddedResource } from '../kube-object.ts';

/**
 * The words our schemas are written in: TypeBox types in the few forms that a structural schema of Kubernetes allows.
 * The description always comes first, since it is what `kubectl explain` shows.
 */

/** Keys of a structural schema that these builders do not set themselves. */
export interface Constraints {
  default?: unknown;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  nullable?: boolean;
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-map-type'?: 'atomic' | 'granular';
  'x-kubernetes-validations'?: { rule: string; message: string }[];
}

/** A property that may be left out. */
export const optional = Type.Optional;

/** A string. */
export const text = (description: string, constraints: Constraints = {}): TUnsafe<string> =>
  Type.Unsafe<string>({ type: 'string', description, ...constraints });

/** A boolean. */
export const bool = (description: string, constraints: Constraints = {}): TUnsafe<boolean> =>
  Type.Unsafe<boolean>({ type: 'boolean', description, ...constraints });

/** An integer whose width no format bounds. */
export const integer = (description: string, constraints: Constraints = {}): TUnsafe<number> =>
  Type.Unsafe<number>({ type: 'integer', description, ...constraints });

/** An integer of 32 bits. */
export const int32 = (description: string, constraints: Constraints = {}): TUnsafe<number> =>
  Type.Unsafe<number>({ type: 'integer', format: 'int32', description, ...constraints });

/** An integer of 64 bits. */
export const int64 = (description: string, constraints: Constraints = {}): TUnsafe<number> =>
  Type.Unsafe<number>({ type: 'integer', format: 'int64', description, ...constraints });

/** Bytes in standard base64. */
export const bytes = (description: string): TUnsafe<string> =>
  Type.Unsafe<string>({ type: 'string', format: 'byte', description });

/** An RFC 3339 time. */
export const timestamp = (description: string): TUnsafe<string> =>
  Type.Unsafe<string>({ type: 'string', format: 'date-time', description });

/** An RFC 3339 time that may be null. */
export const nullableTimestamp = (description: string): TUnsafe<string | null> =>
  Type.Unsafe<string | null>({ type: 'string', format: 'date-time', nullable: true, description });

/** One of a closed set of strings. */
export const oneOf = <const V extends readonly string[]>(
  description: string,
  values: V,
  constraints: Constraints = {},
): TUnsafe<V[number]> => Type.Unsafe<V[number]>({ type: 'string', enum: values, description, ...constraints });

/** An integer or a string, such as a count or a percentage. */
export const intOrString = (description: string, constraints: Constraints = {}): TUnsafe<number | string> =>
  Type.Unsafe<number | string>({
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    description,
    ...constraints,
  });

const QUANTITY =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';

/** An amount such as `500m` or `2Gi`. */
export const quantity = (description: string): TUnsafe<number | string> =>
  intOrString(description, { pattern: QUANTITY });

/** An object with named properties. */
export const object = <P extends TProperties>(
  description: string,
  properties: P,
  constraints: Constraints = {},
): TObject<P> => Type.Object(properties, { description, ...constraints });

/** A list whose items have no identity. */
export const listOf = <S extends TSchema>(description: string, items: S, constraints: Constraints = {}): TArray<S> =>
  Type.Array(items, { description, ...constraints });

/** A list that is replaced as a whole by server-side apply. */
export const atomicListOf = <S extends TSchema>(description: string, items: S): TArray<S> =>
  Type.Array(items, { description, 'x-kubernetes-list-type': 'atomic' });

/** A list whose items are unique by some of their fields. */
export const listByKey = <S extends TSchema>(description: string, keys: string[], items: S): TArray<S> =>
  Type.Array(items, { description, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys });

/** A map from any string. TypeBox's own Record writes patternProperties, which structural schemas forbid. */
export const mapOf = <S extends TSchema>(description: string, values: S): TUnsafe<Record<string, Static<S>>> =>
  Type.Unsafe<Record<string, Static<S>>>({ type: 'object', additionalProperties: values, description });

/** A whole Kubernetes object of any kind, kept as it is. */
export const embeddedResource = (description: string): TUnsafe<EmbeddedResource> =>
  Type.Unsafe<EmbeddedResource>({
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
    description,
  });

/** Any JSON object, kept as it is. */
export const anyObject = (description: string): TUnsafe<Record<string, unknown>> =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true, description });
