import { isRecord, type Json, type JsonObject, parseQuantity, stringifyJson } from '@flotilla/schema';
import type { StructuralSchema } from '../../contracts/structural-schema.ts';
import { badRequest } from '../../errors/api-errors.ts';
import { resolveBuiltIn } from '../built-in.ts';
import { timeError } from './time.ts';

/** Where the decoder is: the path for messages, and the Go struct that holds the field, which they name. */
interface Place {
  readonly path: string;
  /** The same without list indexes and map keys, as Go shows it. */
  readonly goPath: string;
  readonly struct: string;
}

/** Decodes the body of a built-in kind: drops fields that the kind does not have, and refuses values of the wrong type. */
export function decodeBuiltIn(
  schema: StructuralSchema,
  object: JsonObject,
  kind: { kind: string; version: string },
): {
  object: JsonObject;
  unknown: string[];
} {
  const unknown: string[] = [];
  const fail = (message: string): never => {
    throw badRequest(`${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: ${message}`);
  };
  const decoded = decodeValue(object, schema, { path: '', goPath: '', struct: kind.kind }, unknown, fail);
  return { object: isRecord(decoded) ? decoded : {}, unknown };
}

/** The metadata of any kind: all have the same. */
export function decodeMetadata(
  metadata: JsonObject,
  kind: { kind: string; version: string },
): {
  metadata: JsonObject;
  unknown: string[];
} {
  const { object, unknown } = decodeBuiltIn(objectMeta, metadata, kind);
  return { metadata: object, unknown: unknown.map((path) => `metadata.${path}`) };
}

const objectMeta: StructuralSchema = { $ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' };

type Fail = (message: string) => never;

/** Definitions that take any JSON, or that have a decoder of their own. */
const quantity = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
const schemaOr = /JSONSchemaPropsOr(?:Array|Bool|StringArray)$/;
const times = /\.meta\.v1\.(Time|MicroTime)$/;

function decodeValue(value: Json, schema: StructuralSchema, place: Place, unknown: string[], fail: Fail): Json {
  if (value === null) return null;
  if (schema.$ref !== undefined) return decodeReference(value, schema.$ref, place, unknown, fail);
  switch (schema.type) {
    case 'object':
      if (!isRecord(value)) return mismatch(value, schema, place, fail);
      return decodeObject(value, schema, place, unknown, fail);
    case 'array':
      if (!Array.isArray(value)) return mismatch(value, schema, place, fail);
      return value.map((item, at) =>
        item === null
          ? zeroItem(schema.items ?? {})
          : decodeValue(item, schema.items ?? {}, { ...place, path: `${place.path}[${at}]` }, unknown, fail),
      );
    case undefined:
      return value;
    default:
      return decodeScalar(value, schema, place, fail);
  }
}

/** Go reads a null in a list as an item with nothing in it. */
function zeroItem(schema: StructuralSchema): Json {
  const { type, properties } = resolveBuiltIn(schema);
  if (type === 'string') return '';
  if (type === 'boolean') return false;
  if (type === 'integer' || type === 'number') return 0;
  return properties ? {} : null;
}

function decodeReference(value: Json, reference: string, place: Place, unknown: string[], fail: Fail): Json {
  // Where a schema or something simpler may stand, an object is a schema.
  if (schemaOr.test(reference) && isRecord(value)) {
    return decodeReference(value, reference.replace(schemaOr, 'JSONSchemaProps'), place, unknown, fail);
  }
  const schema = resolveBuiltIn({ $ref: reference });
  if (reference === quantity) {
    const message = parseQuantity(typeof value === 'string' ? value : stringifyJson(value)).error;
    return message === undefined ? value : fail(message);
  }
  if (schema.format === 'int-or-string') {
    if (typeof value === 'string' || (typeof value === 'number' && Number.isInteger(value))) return value;
    return decodeScalar(value, { type: 'integer', format: 'int32' }, place, fail);
  }
  if (times.test(reference)) {
    if (typeof value !== 'string') {
      return fail(`json: cannot unmarshal ${nameOf(value)} into Go value of type string`);
    }
    const message = timeError(value, reference.endsWith('.MicroTime') ? 'microTime' : 'time');
    return message === undefined ? value : fail(message);
  }
  if (schema.type !== 'object' && schema.type !== undefined) return decodeScalar(value, schema, place, fail);
  if (schema.properties === undefined) {
    if (
      schema.type === 'object' &&
      !isRecord(value) &&
      schema.additionalProperties === undefined &&
      Array.isArray(value)
    ) {
      return mismatch(value, { $ref: reference }, place, fail);
    }
    return schema.additionalProperties === undefined ? value : decodeValue(value, { ...schema }, place, unknown, fail);
  }
  if (!isRecord(value)) return mismatch(value, { $ref: reference }, place, fail);
  const struct = reference.slice(reference.lastIndexOf('.') + 1);
  return decodeObject(value, schema, { ...place, struct }, unknown, fail);
}

function decodeObject(value: JsonObject, schema: StructuralSchema, place: Place, unknown: string[], fail: Fail): Json {
  const { properties, additionalProperties } = schema;
  if (!properties && !additionalProperties) return value;
  const decoded: JsonObject = {};
  for (const [key, field] of Object.entries(value)) {
    const known = properties && Object.hasOwn(properties, key) ? properties[key] : undefined;
    const path = place.path === '' ? key : `${place.path}.${key}`;
    if (known) {
      const goPath = place.goPath === '' ? key : `${place.goPath}.${key}`;
      decoded[key] = decodeValue(field, known, { ...place, path, goPath }, unknown, fail);
    } else if (!properties && typeof additionalProperties === 'object') {
      decoded[key] = decodeValue(field, additionalProperties, { ...place, path }, unknown, fail);
    } else if (!properties && additionalProperties === true) decoded[key] = field;
    else unknown.push(path);
  }
  return decoded;
}

function decodeScalar(value: Json, schema: StructuralSchema, place: Place, fail: Fail): Json {
  switch (schema.type) {
    case 'string':
      if (typeof value !== 'string') return mismatch(value, schema, place, fail);
      if (schema.format === 'byte') checkBase64(value, fail);
      return value;
    case 'boolean':
      return typeof value === 'boolean' ? value : mismatch(value, schema, place, fail);
    case 'number':
      if (typeof value === 'bigint') return Number(value);
      return typeof value === 'number' ? value : mismatch(value, schema, place, fail);
    case 'integer':
      if (typeof value !== 'number' && typeof value !== 'bigint') return mismatch(value, schema, place, fail);
      if (!isInteger(value) || (schema.format === 'int32' && !isInt32(value))) {
        return fail(
          `json: cannot unmarshal number ${value} into Go struct field ${goField(place)} of type ${goType(schema)}`,
        );
      }
      return value;
    default:
      return value;
  }
}

const isInteger = (value: number | bigint): boolean => typeof value === 'bigint' || Number.isInteger(value);

const isInt32 = (value: number | bigint): boolean => value >= -(2 ** 31) && value < 2 ** 31;

/** Go's decoder ignores line breaks and reports the first invalid byte. */
function checkBase64(text: string, fail: Fail): void {
  const clean = text.replace(/[\r\n]/g, '');
  const body = clean.replace(/={0,2}$/, '');
  const bad = body.search(/[^A-Za-z0-9+/]/);
  if (bad >= 0) fail(`illegal base64 data at input byte ${bad}`);
  if (clean.length % 4 !== 0 || body.length % 4 === 1) {
    fail(`illegal base64 data at input byte ${clean.length - (clean.length % 4)}`);
  }
}

function mismatch(value: Json, schema: StructuralSchema, place: Place, fail: Fail): never {
  const into = place.goPath === '' ? 'Go value' : `Go struct field ${goField(place)}`;
  return fail(`json: cannot unmarshal ${nameOf(value)} into ${into} of type ${goType(schema)}`);
}

const goField = ({ struct, goPath }: Place): string => `${struct}.${goPath}`;

/** How Go's decoder calls a JSON value. */
function nameOf(value: Json): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

/** Maps of quantities have a name of their own. */
const isResourceList = ({ additionalProperties }: StructuralSchema): boolean =>
  typeof additionalProperties === 'object' && additionalProperties.$ref === quantity;

/** The Go type behind a schema, as far as the schema has it. */
function goType(schema: StructuralSchema): string {
  if (schema.$ref !== undefined) {
    const [version = '', name = ''] = schema.$ref.split('.').slice(-2);
    return `${version}.${name}`;
  }
  switch (schema.type) {
    case 'array':
      return `[]${goType(schema.items ?? {})}`;
    case 'object':
      if (isResourceList(schema)) return 'v1.ResourceList';
      return `map[string]${typeof schema.additionalProperties === 'object' ? goType(schema.additionalProperties) : 'interface {}'}`;
    case 'string':
      return schema.format === 'byte' ? '[]uint8' : 'string';
    case 'integer':
      return schema.format === 'int32' ? 'int32' : 'int64';
    case 'boolean':
      return 'bool';
    case 'number':
      return 'float64';
    default:
      return 'interface {}';
  }
}
