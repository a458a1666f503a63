import type { ValidatedKind } from '../validation/schema-validator.ts';
import { structuralSchemaOf } from './crd.ts';
import type { KindDefinition } from './define-kind.ts';

/** What validation needs to know of a kind, in plain JSON. */
export const toValidatedKind = (definition: KindDefinition): ValidatedKind => {
  const { group, version, kind, namespaced } = definition.resource;
  return { apiVersion: `${group}/${version}`, kind, namespaced, schema: structuralSchemaOf(definition) };
};
