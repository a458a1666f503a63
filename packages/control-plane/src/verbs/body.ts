import type { KubeError } from '@flotilla/kube';
import { isRecord, type KubeObject, parseJson } from '@flotilla/schema';
import type { Call } from '../contracts/call.ts';
import { apiVersionOf } from '../contracts/resource-info.ts';
import { badRequest, invalid, unsupportedMediaType } from '../errors/api-errors.ts';
import { bodySummary } from '../errors/body-summary.ts';
import { goQuote } from '../errors/go-text.ts';
import { decodeProtobufObject, protobufType } from '../protobuf/decode-body.ts';
import { bodyType } from '../requests/accept.ts';
import { builtInResources } from '../schema/built-in.ts';
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
  /** The message of strict decoding for duplicate fields; the last one counts. */
  readonly duplicates: readonly string[];
}

/** A body as JSON, whatever it was written in. Custom resources have no protobuf. Throws SyntaxError. */
export function parseBody(
  { body, headers, maxYamlBytes }: Pick<Call, 'body' | 'headers' | 'maxYamlBytes'>,
  decodeProtobuf?: (body: Buffer) => object,
): ParsedBody {
  const type = bodyType(headers['content-type']);
  if (type === protobufType && decodeProtobuf) return { value: decodeProtobuf(body), duplicates: [] };
  if (type === protobufType) throw unsupportedMediaType(texts);
  if (type !== '' && !texts.includes(type)) throw unsupportedMediaType([...texts, protobufType]);
  if (type !== 'application/yaml') return parseJsonBody(body);
  const { value, repeated } = parseYamlText(body, maxYamlBytes);
  return { value, duplicates: repeated };
}

/** Throws SyntaxError with Go's words. */
export function parseJsonBody(body: Buffer): ParsedBody {
  const text = new JsonText(body);
  const syntaxError = text.syntaxError();
  if (syntaxError !== undefined) throw new SyntaxError(syntaxError);
  return {
    value: parseJson(body.toString('utf8')),
    duplicates: text.duplicates.map((path) => `duplicate field "${path}"`),
  };
}

/** The object of a request that has no schema to compare it with; duplicate fields are reported at once. */
export function decodeObject(
  call: Call,
  expected: ExpectedKind = call.info,
  fieldValidation: WriteOptions['fieldValidation'] = 'Ignore',
): KubeObject {
  const { object, duplicates } = decodeBody(call, expected);
  warnOfDuplicates(call, duplicates, fieldValidation);
  return object;
}

/** The object of a create or update: of the right kind and version, with metadata; and the fields that it has twice. */
export function decodeBody(
  call: Call,
  expected: ExpectedKind = call.info,
): { readonly object: KubeObject; readonly duplicates: readonly string[] } {
  const { body, info } = call;
  const unrecognized = (why: string) =>
    badRequest(`the object provided is unrecognized (must be of type ${expected.kind}): ${why} (${bodySummary(body)})`);
  const unreadable = (message: string) => unrecognized(`couldn't get version/kind; json parse error: ${message}`);
  const isCustom = info.source === 'custom' && expected === info;
  const decodeProtobuf = isCustom ? undefined : (bytes: Buffer) => decodeProtobufObject(bytes, expected);
  const { value, duplicates } = refuseSyntax(() => parseBody(call, decodeProtobuf), unreadable);
  const types = typesOf(value, unreadable);
  if (types.apiVersion.split('/').length > 2) {
    throw unrecognized(`unexpected GroupVersion string: ${types.apiVersion}`);
  }
  if (isCustom) checkCustomKind(value, types, expected, unrecognized, body);
  else checkKind(types, expected);
  return { object: asKind(isRecord(value) ? value : {}, expected, isCustom), duplicates };
}

/** Turns a SyntaxError into the refusal of the endpoint. */
export function refuseSyntax<T>(parse: () => T, refuse: (message: string) => Error): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SyntaxError) throw refuse(error.message);
    throw error;
  }
}

function warnOfDuplicates(
  call: Call,
  duplicates: readonly string[],
  fieldValidation: WriteOptions['fieldValidation'],
): void {
  if (duplicates.length === 0 || fieldValidation === 'Ignore') return;
  if (fieldValidation === 'Strict') {
    const { kind, version } = call.info;
    throw badRequest(
      `${kind} in version "${version}" cannot be handled as a ${kind}: strict decoding error: ${duplicates.join(', ')}`,
    );
  }
  for (const warning of duplicates) call.warn(warning);
}

export interface Types {
  readonly apiVersion: string;
  readonly kind: string;
}

/** apiVersion and kind as texts, absent ones empty. */
export function typesOf(value: unknown, refuse: (message: string) => Error): Types {
  if (value === null) return { apiVersion: '', kind: '' };
  if (!isRecord(value)) {
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

/** Custom resources say what they are. */
function checkCustomKind(
  value: unknown,
  { apiVersion, kind }: Types,
  expected: ExpectedKind,
  unrecognized: (why: string) => Error,
  body: Buffer,
): void {
  if (kind === '') throw unrecognized(`Object 'Kind' is missing in '${body.toString('utf8')}'`);
  const wanted = apiVersionOf(expected);
  if (apiVersion !== wanted) {
    throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${wanted})`);
  }
  if (kind !== expected.kind) throw wrongKind(value, kind, expected);
}

/** 422: an object says that it is of another kind than its resource. */
export function wrongKind(value: unknown, kind: string, expected: ExpectedKind): KubeError {
  const { name } = isRecord(value) && isRecord(value.metadata) ? value.metadata : {};
  return invalid({ group: expected.group, kind }, typeof name === 'string' ? name : '', [
    {
      reason: 'FieldValueInvalid',
      field: 'kind',
      message: `Invalid value: ${goQuote(kind)}: must be ${expected.kind}`,
    },
  ]);
}

/** Built-in kinds may leave out what the path says already. */
function checkKind({ apiVersion, kind }: Types, expected: ExpectedKind): void {
  const wanted = apiVersionOf(expected);
  const given = apiVersion || wanted;
  if ((kind === '' || kind === expected.kind) && given === wanted) return;
  const actual = kind || expected.kind;
  const version = given.slice(given.lastIndexOf('/') + 1);
  throw badRequest(
    `${actual} in version "${version}" cannot be handled as a ${expected.kind}: ${mismatchOf(given, actual, expected)}`,
  );
}

/** A known kind of another resource cannot be converted; any other kind is unknown. */
function mismatchOf(apiVersion: string, kind: string, expected: ExpectedKind): string {
  const group = apiVersion.includes('/') ? apiVersion.split('/', 1)[0] : '';
  const version = apiVersion.slice(apiVersion.lastIndexOf('/') + 1);
  const known = builtInResources().some(
    (info) => info.group === group && info.version === version && info.kind === kind,
  );
  if (!known) {
    return `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`;
  }
  const goPackage = expected.group === '' ? 'core' : expected.group.split('.', 1)[0];
  return `converting (${version}.${kind}) to (${goPackage}.${expected.kind}): unknown conversion`;
}

/** With apiVersion, kind and metadata, whatever else is in it. */
export function asKind(value: Record<string, unknown>, expected: ExpectedKind, isCustom = false): KubeObject {
  const { metadata } = value;
  if (metadata !== undefined && metadata !== null && !isRecord(metadata)) {
    throw badRequest(
      `${expected.kind} in version "${expected.version}" cannot be handled as a ${expected.kind}: json: cannot unmarshal ${typeName(metadata)} into Go ${isCustom ? 'value' : `struct field ${expected.kind}.metadata`} of type v1.ObjectMeta`,
    );
  }
  return { ...value, apiVersion: apiVersionOf(expected), kind: expected.kind, metadata: metadata ?? {} };
}

/** How Go's decoder calls a JSON value of the wrong type. */
export function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'number';
  return value === null ? 'null' : typeof value;
}
