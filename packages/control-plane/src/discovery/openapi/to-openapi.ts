import type { StructuralSchema } from '../../contracts/structural-schema.ts';
import { componentRef, shared } from './component-names.ts';

/** A schema as OpenAPI v3 writes it. */
export type OpenApiSchema = Readonly<Record<string, unknown>>;

/** Follows every place where a schema holds schemas. */
function mapChildren(schema: StructuralSchema, change: (child: StructuralSchema) => OpenApiSchema): OpenApiSchema {
  const { properties, additionalProperties, items, allOf, anyOf, oneOf, not } = schema;
  return {
    ...schema,
    ...(properties && { properties: mapValues(properties, change) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: change(additionalProperties) }),
    ...(items && { items: change(items) }),
    ...(allOf && { allOf: allOf.map(change) }),
    ...(anyOf && { anyOf: anyOf.map(change) }),
    ...(oneOf && { oneOf: oneOf.map(change) }),
    ...(not && { not: change(not) }),
  };
}

const mapValues = (
  schemas: Readonly<Record<string, StructuralSchema>>,
  change: (child: StructuralSchema) => OpenApiSchema,
): Record<string, OpenApiSchema> =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, change(schema)]));

/** A built-in schema: references point at components; one with siblings is wrapped, for `$ref` allows none. */
export function builtInSchema(schema: StructuralSchema): OpenApiSchema {
  const { $ref, ...siblings } = schema;
  if ($ref === undefined) return mapChildren(schema, builtInSchema);
  return Object.keys(siblings).length === 0 ? componentRef($ref) : { ...siblings, allOf: [componentRef($ref)] };
}

const typeMeta: Readonly<Record<string, OpenApiSchema>> = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
};

const objectFields: Readonly<Record<string, OpenApiSchema>> = {
  ...typeMeta,
  metadata: { allOf: [componentRef(shared.objectMeta)] },
};

/** The schema of a custom kind: what every object has is added, at the root and in embedded objects. */
export function customSchema(schema: StructuralSchema): OpenApiSchema {
  return { ...nestedSchema(schema), type: 'object', properties: withObjectFields(schema) };
}

function nestedSchema(schema: StructuralSchema): OpenApiSchema {
  const nested = mapChildren(schema, nestedSchema);
  if (schema['x-kubernetes-int-or-string'] && !schema.anyOf) {
    return { ...nested, anyOf: [{ type: 'integer' }, { type: 'string' }] };
  }
  if (!schema['x-kubernetes-embedded-resource']) return nested;
  const required = new Set([...(schema.required ?? []), 'apiVersion', 'kind']);
  return { ...nested, required: [...required], properties: withObjectFields(schema) };
}

/** Descriptions that a definition gives to these fields are kept. */
function withObjectFields({ properties = {} }: StructuralSchema): Record<string, OpenApiSchema> {
  const own = mapValues(properties, nestedSchema);
  const described = Object.entries(objectFields).map(([name, field]) => {
    const description = properties[name]?.description;
    return [name, description === undefined ? field : { description, ...field }] as const;
  });
  return { ...own, ...Object.fromEntries(described) };
}

/** The list of a kind. */
export const listSchema = (component: string, source: 'built-in' | 'custom'): OpenApiSchema => {
  // Lists of built-in kinds are Go structs, whose fields have defaults.
  const field = (name: string): OpenApiSchema =>
    source === 'built-in' ? { default: {}, allOf: [componentRef(name)] } : componentRef(name);
  return {
    type: 'object',
    required: ['items'],
    properties: {
      ...typeMeta,
      items: { type: 'array', items: field(component) },
      metadata: field(shared.listMeta),
    },
  };
};
