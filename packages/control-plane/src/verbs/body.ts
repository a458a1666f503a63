import type { KubeObject } from '@flotilla/api-types';
import { parse as parseYaml, YAMLParseError } from 'yaml';
import { badRequest, unsupportedMediaType } from '../errors/api-errors.ts';
import { apiVersionOf, type ResourceInfo } from '../schema/resource-info.ts';
import { bodyType } from '../server/accept.ts';
import type { Call } from './backend.ts';

const accepted = ['application/json', 'application/yaml'];

/** The body as JSON, whatever it was written in. */
export function decodeBody(body: Buffer, contentType: string | undefined): unknown {
  const type = bodyType(contentType);
  if (type !== '' && !accepted.includes(type)) throw unsupportedMediaType(accepted);
  return type === 'application/yaml' ? decodeYaml(body) : decodeJson(body);
}

export function decodeJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw badRequest(`couldn't get version/kind; json parse error: ${messageOf(error)}`);
  }
}

export function decodeYaml(body: Buffer): unknown {
  try {
    // Aliases are bounded, so that a small body cannot grow without end.
    return parseYaml(body.toString('utf8'), { maxAliasCount: 100, uniqueKeys: false });
  } catch (error) {
    if (error instanceof YAMLParseError || error instanceof ReferenceError) {
      throw badRequest(`error converting YAML to JSON: yaml: ${messageOf(error)}`);
    }
    throw error;
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object of a create or update: of the right kind and version, with metadata that is an object. */
export function decodeObject(
  call: Call,
  expected: { group: string; version: string; kind: string } = call.info,
): KubeObject {
  if (call.body.length === 0) throw badRequest('unable to decode object: empty body');
  return checkKind(decodeBody(call.body, call.headers['content-type']), expected, call.info.source === 'built-in');
}

/** Built-in kinds may leave out what the path says already; custom ones may not. */
export function checkKind(
  value: unknown,
  expected: Pick<ResourceInfo, 'group' | 'version' | 'kind'>,
  mayOmit: boolean,
): KubeObject {
  if (!isObject(value)) {
    throw badRequest(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${typeName(value)} into Go value`,
    );
  }
  const wanted = apiVersionOf(expected);
  const { apiVersion, kind, metadata } = value;
  if (!mayOmit && (kind === undefined || kind === '')) {
    throw badRequest(`Object 'Kind' is missing in '${JSON.stringify(value)}'`);
  }
  if (!mayOmit && (apiVersion === undefined || apiVersion === '')) {
    throw badRequest(`Object 'apiVersion' is missing in '${JSON.stringify(value)}'`);
  }
  if (apiVersion !== undefined && apiVersion !== '' && apiVersion !== wanted) {
    throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${wanted})`);
  }
  if (kind !== undefined && kind !== '' && kind !== expected.kind) {
    throw badRequest(
      `${expected.kind} in version "${expected.version}" cannot be handled as a ${expected.kind}: the kind in the data is ${kind}`,
    );
  }
  if (metadata !== undefined && metadata !== null && !isObject(metadata)) {
    throw badRequest(`json: cannot unmarshal ${typeName(metadata)} into Go struct field ObjectMeta.metadata`);
  }
  return { ...value, apiVersion: wanted, kind: expected.kind, metadata: isObject(metadata) ? metadata : {} };
}

/** How Go's decoder calls a JSON value of the wrong type. */
export function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return value === null ? 'null' : typeof value;
}
