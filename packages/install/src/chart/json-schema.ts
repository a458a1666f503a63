import { isRecord } from '@flotilla/schema';
import type { StructuralSchema } from '@flotilla/schema/validation';

/** Keys of structural schemas that Helm does not know, or that would make it refuse what the API server accepts. */
const dropped = new Set(['default', 'format', 'required', 'nullable']);

/**
 * A structural schema as the JSON schema of a chart: unknown keys are refused, so that a typo does not pass in silence. What must be
 * there is left to the API server, since users give parts and the rest are defaults.
 */
export const chartSchema = (schema: StructuralSchema): object => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  ...convert(schema),
  // Helm gives it to every chart.
  properties: { ...properties(schema), global: { type: 'object' } },
});

function convert(schema: StructuralSchema): Record<string, unknown> {
  const { properties: named, items, additionalProperties, ...rest } = schema;
  const known = Object.entries(rest).filter(([key]) => !key.startsWith('x-kubernetes-') && !dropped.has(key));
  return {
    ...Object.fromEntries(known),
    ...(named && { properties: properties(schema), additionalProperties: false }),
    ...(items && { items: convert(items) }),
    ...(isRecord(additionalProperties) && { additionalProperties: convert(additionalProperties as StructuralSchema) }),
  };
}

const properties = ({ properties: named = {} }: StructuralSchema): Record<string, unknown> =>
  Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, convert(schema)]));
