import type { Static, TObject, TProperties, TSchema } from 'typebox';
import { Type } from 'typebox';
import type { ObjectMeta, ResourceType } from '../kube-object.ts';

/** A column of `kubectl get`. */
export interface PrinterColumn {
  name: string;
  type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  jsonPath: string;
}

/** One version of a kind: where it is served, its schema, and what else its CustomResourceDefinition says. */
export interface KindDefinition {
  readonly resource: ResourceType;
  readonly schema: TSchema;
  readonly shortNames?: readonly string[];
  /** False for a version that is served but converted to another one before it is stored. */
  readonly storage: boolean;
  /** Set on kinds whose versions differ by more than their name: only a webhook can convert between them. */
  readonly conversion?: 'webhook';
  /** `none` leaves the field out; `empty` writes an empty object, which means the same to the server. */
  readonly subresources: 'status' | 'none' | 'empty';
  readonly printerColumns?: readonly PrinterColumn[];
}

/** The root of a kind: its own fields beside apiVersion, kind and metadata, which the API server checks itself. */
export const rootOf = <P extends TProperties>(description: string, properties: P) =>
  Type.Object(
    {
      apiVersion: Type.Optional(
        Type.Unsafe<string>({ type: 'string', description: 'Group and version of this object’s schema.' }),
      ),
      kind: Type.Optional(Type.Unsafe<string>({ type: 'string', description: 'Kind of this object.' })),
      metadata: Type.Optional(Type.Unsafe<ObjectMeta>({ type: 'object' })),
      ...properties,
    },
    { description },
  );

/** The static type of a root schema; metadata is always there on an object that a client sends or receives. */
export type Resource<S extends TObject> = Static<S> & { metadata: ObjectMeta };

/** Fills in what most kinds have: they are stored as they are and report a status. */
export const defineKind = (
  definition: Pick<KindDefinition, 'resource' | 'schema'> & Partial<KindDefinition>,
): KindDefinition => ({ storage: true, subresources: 'status', ...definition });

/** Columns that show fields of a condition. */
export const conditionColumn = (name: string, type: string, field: 'status' | 'reason' = 'status'): PrinterColumn => ({
  name,
  type: 'string',
  jsonPath: `.status.conditions[?(@.type=="${type}")].${field}`,
});

/** The age of the object. */
export const ageColumn: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };
