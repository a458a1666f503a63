import { createSchemaValidator, type StructuralSchema } from '@flotilla/schema/validation';

/** What is wrong with values of a user: each line has the field, and what is expected there. None if they are as the chart has them. */
export function valuesErrors(given: unknown, schema: StructuralSchema): string[] {
  if (given === null || typeof given !== 'object' || Array.isArray(given)) return ['the values must be a map'];
  const partial = withoutRequired(schema);
  const validator = createSchemaValidator({
    apiVersion: 'values',
    kind: 'Values',
    namespaced: false,
    schema: { ...partial, properties: { ...partial.properties, apiVersion: {}, kind: {} } },
  });
  const { unknownFields } = validator.pruneUnknown(given);
  return [
    ...unknownFields.map((field) => `${field} is not a value of this chart`),
    ...validator.validateContent(given).map(({ field, message }) => `${field}: ${message}`),
  ];
}

/** Users give parts, and the rest are defaults. */
function withoutRequired({
  required: _,
  properties,
  items,
  additionalProperties,
  ...schema
}: StructuralSchema): StructuralSchema {
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, withoutRequired(property)]),
      ),
    }),
    ...(items && { items }),
    ...(additionalProperties !== undefined && { additionalProperties }),
  };
}
