import type { KubeObject, ResourceType } from '@flotilla/schema';
import { type KindDefinition, toValidatedKind } from '@flotilla/schema/define';
import {
  createSchemaValidator,
  type FieldError,
  type SchemaValidator,
  type ValidationResult,
} from '@flotilla/schema/validation';
import { allKinds } from './all-kinds.ts';

/** Validators by definition, made on first use. They hold nothing but compiled forms of constant schemas. */
const validators = new WeakMap<KindDefinition, SchemaValidator>();

/** The definition of one of our kinds. */
export const kindDefinitionOf = (resource: ResourceType): KindDefinition => {
  const found = allKinds.find(
    ({ resource: each }) =>
      each.group === resource.group && each.version === resource.version && each.plural === resource.plural,
  );
  if (!found) {
    throw new TypeError(
      `no schema is known for ${resource.plural}.${resource.group}/${resource.version}: ` +
        'use createSchemaValidator with the schema of its CustomResourceDefinition',
    );
  }
  return found;
};

/** The validator of one of our kinds. */
export const validatorOf = (resource: ResourceType): SchemaValidator => {
  const definition = kindDefinitionOf(resource);
  const known = validators.get(definition);
  if (known) return known;
  const validator = createSchemaValidator(toValidatedKind(definition));
  validators.set(definition, validator);
  return validator;
};

/** What the API server would make of the object: the stored form, the errors, and the fields that it would drop. */
export const check = <T extends KubeObject>(resource: ResourceType<T>, object: T, old?: T): ValidationResult =>
  validatorOf(resource).check(object, old);

/** Why the API server would refuse the object; empty if it would accept it. */
export const validate = <T extends KubeObject>(resource: ResourceType<T>, object: T, old?: T): readonly FieldError[] =>
  check(resource, object, old).errors;

/** A copy of the object with the defaults that the API server would set. */
export const applyDefaults = <T extends KubeObject>(resource: ResourceType<T>, object: T): T => {
  const result: object = validatorOf(resource).applyDefaults(object);
  return result as T;
};

/** A copy of the object without the fields that the API server would drop. */
export const prune = <T extends KubeObject>(resource: ResourceType<T>, object: T): T => {
  const result: object = validatorOf(resource).prune(object);
  return result as T;
};
