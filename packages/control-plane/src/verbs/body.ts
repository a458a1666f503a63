import type { KubeObject } from '@flotilla/api-types';
import { badRequest, unsupportedMediaType } from '../errors/api-errors.ts';
import { decodeProtobufObject, protobufType } from '../protobuf/decode-body.ts';
import { apiVersionOf } from '../schema/resource-info.ts';
import { bodyType } from '../server/accept.ts';
import type { Call } from './backend.ts';
import { JsonText } from './json-text.ts';
import type { WriteOptions } from './write-options.ts';
import { parseYamlText } from './yaml-text.ts';

const texts = ['application/json', 'application/yaml'];

export interface ExpectedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface ParsedBody {
  readonly value: unknown;
  /** Paths of fields that are there twice; the last one counts. */
  readonly duplicates: readonly string[];
}

/** A body as JSON, whatever it was written in. Custom resources have no protobuf. Throws SyntaxError. */
export function parseBody(
  body: Buffer,
  contentType: string | undefined,
  decodeProtobuf?: (body: Buffer) => object,
): ParsedBody {
  const type = bodyType(contentType);
  if (type === protobufType && decodeProtobuf) return { value: decodeProtobuf(body), duplicates: [] };
  if (type === protobufType) throw unsupportedMediaType(texts);
  if (type !== '' && !texts.includes(type)) throw unsupportedMediaType([...texts, protobufType]);
  return type === 'application/yaml' ? { value: parseYamlText(body), duplicates: [] } : parseJson(body);
}

/** Throws SyntaxError with Go's words. */
export function parseJson(body: Buffer): ParsedBody {
  const text = new JsonText(body);
  const problem = text.problem();
  if (problem !== undefined) throw new SyntaxError(problem);
  return { value: JSON.parse(body.toString('utf8')), duplicates: text.duplicates };
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object of a create or update: of the right kind and version, with metadata. */
export function decodeObject(
  call: Call,
  expected: ExpectedKind = call.info,
  fieldValidation: WriteOptions['fieldValidation'] = 'Ignore',
): KubeObject {
  const { body, info, headers } = call;
  const unrecognized = (problem: string) => {
    const why = `couldn't get version/kind; json parse error: ${problem}`;
    if (info.source === 'custom') return badRequest(why);
    return badRequest(
      `the object provided is unrecognized (must be of type ${expected.kind}): ${why} (${summary(body)})`,
    );
  };
  const isCustom = info.source === 'custom' && expected === info;
  const decodeProtobuf = isCustom ? undefined : (bytes: Buffer) => decodeProtobufObject(bytes, expected);
  const { value, duplicates } = refuseSyntax(
    () => parseBody(body, headers['content-type'], decodeProtobuf),
    unrecognized,
  );
  const types = typesOf(value, unrecognized);
  checkKind(types, expected, info.source === 'built-in', body);
  tellDuplicates(call, duplicates, fieldValidation);
  return asKind(isObject(value) ? value : {}, expected);
}

/** Turns a SyntaxError into the refusal of the endpoint. */
export function refuseSyntax<T>(parse: () => T, refuse: (problem: string) => Error): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SyntaxError) throw refuse(error.message);
    throw error;
  }
}

function tellDuplicates(
  call: Call,
  duplicates: readonly string[],
  fieldValidation: WriteOptions['fieldValidation'],
): void {
  if (duplicates.length === 0 || fieldValidation === 'Ignore') return;
  const told = duplicates.map((path) => `duplicate field "${path}"`);
  if (fieldValidation === 'Strict') {
    const { source, kind, version } = call.info;
    const what = source === 'built-in' ? `${kind} in version "${version}" cannot be handled as a ${kind}: ` : '';
    throw badRequest(`${what}strict decoding error: ${told.join(', ')}`);
  }
  for (const warning of told) call.warn(warning);
}

interface Types {
  readonly apiVersion: string;
  readonly kind: string;
}

/** apiVersion and kind as texts, absent ones empty. */
function typesOf(value: unknown, refuse: (problem: string) => Error): Types {
  if (value === null) return { apiVersion: '', kind: '' };
  if (!isObject(value)) {
    throw refuse(`json: cannot unmarshal ${typeName(value)} into Go value of type ${goTypeOfTypes}`);
  }
  const text = (name: string): string => {
    const field = value[name] ?? '';
    if (typeof field === 'string') return field;
    throw refuse(`json: cannot unmarshal ${typeName(field)} into Go struct field .${name} of type string`);
  };
  return { apiVersion: text('apiVersion'), kind: text('kind') };
}

const goTypeOfTypes =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** Built-in kinds may leave out what the path says already; custom ones may not. */
function checkKind({ apiVersion, kind }: Types, expected: ExpectedKind, mayOmit: boolean, body: Buffer): void {
  const wanted = apiVersionOf(expected);
  if (!mayOmit && kind === '') throw badRequest(`Object 'Kind' is missing in '${body.toString('utf8')}'`);
  if (kind !== '' && kind !== expected.kind) {
    const version = apiVersion || wanted;
    throw badRequest(
      `${kind} in version "${version.slice(version.lastIndexOf('/') + 1)}" cannot be handled as a ${expected.kind}: no kind "${kind}" is registered for version "${version}" in scheme "pkg/api/legacyscheme/scheme.go:30"`,
    );
  }
  if (apiVersion !== wanted && (apiVersion !== '' || !mayOmit)) {
    throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${wanted})`);
  }
}

/** With apiVersion, kind and metadata, whatever else is in it. */
export function asKind(value: Record<string, unknown>, expected: ExpectedKind): KubeObject {
  const { metadata } = value;
  if (metadata !== undefined && metadata !== null && !isObject(metadata)) {
    throw badRequest(
      `${expected.kind} in version "${expected.version}" cannot be handled as a ${expected.kind}: json: cannot unmarshal ${typeName(metadata)} into Go struct field ${expected.kind}.metadata of type v1.ObjectMeta`,
    );
  }
  return { ...value, apiVersion: apiVersionOf(expected), kind: expected.kind, metadata: metadata ?? {} };
}

/** The start of a body, as a message shows it: text if it looks like JSON, hexadecimal otherwise. */
function summary(body: Buffer): string {
  if (body.length === 0) return '<empty>';
  const start = body.subarray(0, 30).toString(body[0] === 0x7b ? 'utf8' : 'hex');
  return body.length > 30 ? `${start} ...` : start;
}

/** How Go's decoder calls a JSON value of the wrong type. */
export function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return value === null ? 'null' : typeof value;
}
