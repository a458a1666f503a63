import type { OpenApiSchema } from '../to-openapi.ts';

/** A schema as OpenAPI v2 writes it. */
export type SwaggerSchema = Readonly<Record<string, unknown>>;

type SchemaFields = {
  readonly $ref?: string;
  readonly type?: string;
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly additionalProperties?: boolean | OpenApiSchema;
  readonly items?: OpenApiSchema;
  readonly allOf?: readonly OpenApiSchema[];
  readonly oneOf?: readonly OpenApiSchema[];
  readonly [field: string]: unknown;
};

/**
 * What version 2 can say of a schema of version 3. As kube-apiserver does, it drops alternatives and defaults, and the inner shape of what may be
 * null or hold unknown fields, because clients of version 2 would refuse values that the server accepts.
 */
export function toSwagger(schema: OpenApiSchema): SwaggerSchema {
  const { default: _, nullable, allOf, oneOf, anyOf: _anyOf, not: _not, ...rest } = schema as SchemaFields;
  const [only] = allOf ?? [];
  const reference = refOf(rest.$ref ?? (allOf?.length === 1 ? only?.$ref : undefined));
  if (reference !== undefined) return { ...rest, $ref: reference };
  if (nullable || rest['x-kubernetes-preserve-unknown-fields']) {
    const { type: _type, properties: _properties, items: _items, additionalProperties: _more, ...open } = rest;
    const { required: _required, ...shown } = open;
    return shown;
  }
  const { properties, additionalProperties, items } = rest;
  return {
    ...rest,
    // A quantity, and a number or text, are texts in version 2.
    ...(oneOf && rest.type === undefined && !rest['x-kubernetes-int-or-string'] && { type: 'string' }),
    ...(properties && { properties: mapValues(properties, toSwagger) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: toSwagger(additionalProperties) }),
    ...(items && { items: toSwagger(items) }),
  };
}

/** The schema of a kind: an object, whatever else is unknown about it. */
export const definitionOf = (schema: OpenApiSchema): SwaggerSchema => {
  const { type } = schema as SchemaFields;
  return { ...toSwagger(schema), ...(type === 'object' && { type }) };
};

const refOf = (reference: unknown): string | undefined =>
  typeof reference === 'string' ? reference.replace('#/components/schemas/', '#/definitions/') : undefined;

const mapValues = <T, U>(values: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));

interface V3Parameter {
  readonly schema: object;
  readonly [field: string]: unknown;
}

type V3Content = Readonly<Record<string, { readonly schema: OpenApiSchema }>>;

interface V3Operation {
  readonly parameters?: readonly V3Parameter[];
  readonly requestBody?: { readonly content: V3Content; readonly required?: true };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: V3Content }>>;
  readonly [field: string]: unknown;
}

/** A path of version 3 in version 2: a body is a parameter, and media types stand beside the operation. */
export function toSwaggerPath(item: object): object {
  const { parameters = [], ...operations } = item as { parameters?: readonly V3Parameter[] } & Record<
    string,
    V3Operation
  >;
  return {
    ...mapValues(operations, toSwaggerOperation),
    ...(parameters.length > 0 && { parameters: parameters.map(flatParameter) }),
  };
}

function toSwaggerOperation({ requestBody, parameters = [], responses, ...rest }: V3Operation): object {
  const body = Object.values(requestBody?.content ?? {})[0];
  const all = [
    ...(body
      ? [{ name: 'body', in: 'body', ...(requestBody?.required && { required: true }), schema: toSwagger(body.schema) }]
      : []),
    ...parameters.map(flatParameter),
  ];
  const produces = new Set(Object.values(responses).flatMap(({ content = {} }) => Object.keys(content)));
  return {
    ...rest,
    consumes: body ? Object.keys(requestBody?.content ?? {}) : ['*/*'],
    produces: [...produces],
    schemes: ['https'],
    ...(all.length > 0 && { parameters: all }),
    responses: mapValues(responses, ({ description, content = {} }) => {
      const [answer] = Object.values(content);
      return { description, ...(answer && { schema: toSwagger(answer.schema) }) };
    }),
  };
}

const flatParameter = ({ schema, ...rest }: V3Parameter): object => ({ ...rest, ...schema });
