import {
  boolField,
  countField,
  doubleField,
  messageField,
  messageOf,
  textField,
} from '../../../protobuf/wire-writer.ts';
import type { SwaggerSchema } from './to-swagger.ts';

/** The parts of an OpenAPI v2 document that the server writes. */
export interface SwaggerDocument {
  readonly swagger: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, object>>;
  readonly definitions: Readonly<Record<string, SwaggerSchema>>;
  readonly securityDefinitions: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

/** The document as the message `openapi.v2.Document` of gnostic, which client-go and Helm read. */
export function encodeSwagger(document: SwaggerDocument): Buffer {
  const { swagger, info, paths, definitions, securityDefinitions, security } = document;
  return messageOf(
    textField(1, swagger),
    messageField(2, messageOf(textField(1, info.title), textField(2, info.version))),
    messageField(8, messageOf(named(2, paths, pathItem))),
    messageField(9, messageOf(named(1, definitions, schemaMessage))),
    security.map((requirement) =>
      messageField(12, messageOf(named(1, requirement, (scopes) => messageOf(texts(1, scopes))))),
    ),
    messageField(13, messageOf(named(1, securityDefinitions, (item) => messageField(2, apiKey(item))))),
  );
}

/** The entries of a map: messages of a name and a value. */
const named = <T>(field: number, values: Readonly<Record<string, T>>, encode: (value: T) => Buffer): Buffer[] =>
  Object.entries(values).map(([name, value]) =>
    messageField(field, messageOf(textField(1, name), messageField(2, encode(value)))),
  );

const texts = (field: number, values: readonly string[] = []): Buffer[] =>
  values.map((value) => messageField(field, Buffer.from(value)));

/** A value of any shape is written as YAML, of which JSON is a part. */
const anyMessage = (value: unknown): Buffer => messageOf(textField(2, `${JSON.stringify(value)}\n`));

const anyField = (field: number, value: unknown): Buffer =>
  messageField(field, value === undefined ? undefined : anyMessage(value));

const extensions = (field: number, value: object): Buffer[] =>
  named(field, Object.fromEntries(Object.entries(value).filter(([name]) => name.startsWith('x-'))), anyMessage);

const apiKey = ({ type, name, in: place, description }: Readonly<Record<string, string>>): Buffer =>
  messageOf(textField(1, type), textField(2, name), textField(3, place), textField(4, description));

const methods: Readonly<Record<string, number>> = { get: 2, put: 3, post: 4, delete: 5, options: 6, head: 7, patch: 8 };

interface PathItem {
  readonly parameters?: readonly Parameter[];
  readonly [method: string]: unknown;
}

const pathItem = (item: object): Buffer =>
  messageOf(
    Object.entries(item).map(([method, value]) =>
      messageField(methods[method] ?? 0, methods[method] ? operation(value) : undefined),
    ),
    ((item as PathItem).parameters ?? []).map((value) => messageField(9, parameterItem(value))),
  );

interface Operation {
  readonly tags?: readonly string[];
  readonly operationId?: string;
  readonly produces?: readonly string[];
  readonly consumes?: readonly string[];
  readonly schemes?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, { readonly description: string; readonly schema?: SwaggerSchema }>>;
}

const operation = (value: Operation): Buffer =>
  messageOf(
    texts(1, value.tags),
    textField(5, value.operationId),
    texts(6, value.produces),
    texts(7, value.consumes),
    (value.parameters ?? []).map((one) => messageField(8, parameterItem(one))),
    messageField(9, messageOf(named(1, value.responses, (response) => messageField(1, responseMessage(response))))),
    texts(10, value.schemes),
    extensions(13, value),
  );

const responseMessage = ({ description, schema }: Operation['responses'][string]): Buffer =>
  messageOf(textField(1, description), messageField(2, schema && messageField(1, schemaMessage(schema))));

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly type?: string;
  readonly uniqueItems?: boolean;
  readonly schema?: SwaggerSchema;
}

/** ParametersItem → Parameter → one of a body, or NonBodyParameter → one of a query or path parameter. */
function parameterItem(parameter: Parameter): Buffer {
  const { name, in: place, required, type, uniqueItems, schema } = parameter;
  if (schema) {
    const body = [
      textField(2, name),
      textField(3, place),
      boolField(4, required),
      messageField(5, schemaMessage(schema)),
    ];
    return messageField(1, messageField(1, messageOf(body)));
  }
  const common = [boolField(1, required), textField(2, place), textField(4, name)];
  const one =
    place === 'query'
      ? messageField(3, messageOf(common, textField(6, type), boolField(20, uniqueItems)))
      : messageField(4, messageOf(common, textField(5, type), boolField(19, uniqueItems)));
  return messageField(1, messageField(2, one));
}

interface SchemaFields {
  readonly $ref?: string;
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly multipleOf?: number;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly maxProperties?: number;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly additionalProperties?: boolean | SwaggerSchema;
  readonly type?: string;
  readonly items?: SwaggerSchema;
  readonly properties?: Readonly<Record<string, SwaggerSchema>>;
  readonly example?: unknown;
}

function schemaMessage(schema: SwaggerSchema): Buffer {
  const fields = schema as SchemaFields;
  const { additionalProperties: more, type, items, properties } = fields;
  return messageOf(
    textField(1, fields.$ref),
    textField(2, fields.format),
    textField(3, fields.title),
    textField(4, fields.description),
    doubleField(6, fields.multipleOf),
    doubleField(7, fields.maximum),
    boolField(8, fields.exclusiveMaximum),
    doubleField(9, fields.minimum),
    boolField(10, fields.exclusiveMinimum),
    countField(11, fields.maxLength),
    countField(12, fields.minLength),
    textField(13, fields.pattern),
    countField(14, fields.maxItems),
    countField(15, fields.minItems),
    boolField(16, fields.uniqueItems),
    countField(17, fields.maxProperties),
    countField(18, fields.minProperties),
    texts(19, fields.required),
    (fields.enum ?? []).map((value) => anyField(20, value)),
    messageField(
      21,
      typeof more === 'object'
        ? messageField(1, schemaMessage(more))
        : more === undefined
          ? undefined
          : boolField(2, more),
    ),
    messageField(22, type === undefined ? undefined : messageOf(texts(1, [type]))),
    messageField(23, items && messageField(1, schemaMessage(items))),
    messageField(25, properties && messageOf(named(1, properties, schemaMessage))),
    anyField(30, fields.example),
    extensions(31, schema),
  );
}
