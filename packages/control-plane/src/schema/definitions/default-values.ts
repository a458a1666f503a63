import { isDeepStrictEqual } from 'node:util';
import { createSchemaValidator, type StructuralSchema, type ValidateApartOptions } from '@flotilla/schema/validation';
import type { Field } from '../field.ts';

/** All defaults of one definition share a budget. */
export type DefaultsOptions = ValidateApartOptions & Required<Pick<ValidateApartOptions, 'budget'>>;

/** Every default of a schema must be a value that the schema would take. */
export async function validateDefaults(schema: Field, options: DefaultsOptions): Promise<void> {
  // No rule is evaluated any more; that was reported.
  if (options.budget.rules.limit === 0) return;
  const value = schema.at('default');
  if (value.value !== undefined) await validateDefault(schema, value, options);
  for (const [, property] of schema.at('properties').entries()) await validateDefaults(property, options);
  for (const name of ['items', 'additionalProperties']) {
    if (typeof schema.at(name).value === 'object') await validateDefaults(schema.at(name), options);
  }
}

/** The validator takes whole objects: the value is put into one, and paths are read from there. */
const holder = 'value';

async function validateDefault(schema: Field, value: Field, options: DefaultsOptions): Promise<void> {
  const own: StructuralSchema = { type: 'object', properties: { [holder]: schema.fields as StructuralSchema } };
  const validator = createSchemaValidator({ apiVersion: 'v1', kind: 'Default', namespaced: false, schema: own });
  const object = { [holder]: value.value };
  const { object: pruned } = validator.pruneUnknown(object);
  if (!isDeepStrictEqual(pruned[holder], value.value)) value.invalid('must not have unknown fields');
  for (const { field, cause, reason } of await validator.validateContentApart(object, undefined, options)) {
    const inside = field.slice(holder.length).replace(/^\./, '');
    const message = cause.message.replaceAll(`${field} in body`, `${inside} in body`);
    value.under(inside === '' ? value.path : `${value.path}.${inside}`).report(reason, message);
  }
}
