import { KubeError } from '@flotilla/kube';
import { isRecord, type KubeObject, stringifyJson } from '@flotilla/schema';
import type { Backend } from '../contracts/backend.ts';
import type { Call } from '../contracts/call.ts';
import { apiVersionOf } from '../contracts/resource-info.ts';
import { badRequest, invalid } from '../errors/api-errors.ts';
import { goQuote } from '../errors/go-text.ts';
import { asKind, type ExpectedKind, parseJsonBody, refuseSyntax, typeName, typesOf, wrongKind } from './body.ts';
import { firstTexts } from './first-texts.ts';
import type { AnyObject } from './prepare.ts';
import type { WriteOptions } from './write-options.ts';
import { parseYamlText } from './yaml-text.ts';

/** A JSON, merge or strategic merge patch. */
export const decodePatch = (body: Buffer): unknown =>
  refuseSyntax(
    () => parseJsonBody(body).value,
    (message) => badRequest(`error decoding patch: ${message}`),
  );

/** What is applied: an object in YAML, which JSON is too. Its fields are validated by the field manager. */
export function decodeApplied(call: Call, { fieldValidation }: WriteOptions): AnyObject {
  const refuse = (message: string) => badRequest(`error decoding YAML: ${message}`);
  const { value, repeated } = refuseSyntax(
    () => parseYamlText(call.body, call.maxYamlBytes),
    (message) => refuse(`error converting YAML to JSON: ${message}`),
  );
  if (value === null) return {};
  if (!isRecord(value)) {
    throw refuse(
      `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${typeName(value)} into Go value of type map[string]interface {}`,
    );
  }
  if (fieldValidation === 'Strict' && repeated.length > 0) {
    throw badRequest(
      `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n${repeated.map((one) => `  ${one}`).join('\n')}`,
    );
  }
  if (fieldValidation === 'Warn') for (const warning of repeated) call.warn(warning);
  return value;
}

/** 422: the patch can be applied, but the result is not an object of its kind. */
const invalidPatch = (patched: unknown, why: string): KubeError =>
  invalid({ group: '', kind: '' }, '', [
    {
      reason: 'FieldValueInvalid',
      field: 'patch',
      message: `Invalid value: ${goQuote(stringifyJson(patched))}: ${why}`,
    },
  ]);

/** The patched document as an object of its kind, without fields that the kind does not have. */
export function decodePatched(
  backend: Backend,
  call: Call,
  patched: unknown,
  options: WriteOptions,
  strictErrors: readonly string[] = [],
): AnyObject {
  const { object, unknown } = pruned(backend, call, patched);
  const messages = firstTexts([...strictErrors, ...unknown.map((path) => `unknown field "${path}"`)]);
  if (messages.length === 0 || options.fieldValidation === 'Ignore') return object;
  if (options.fieldValidation === 'Strict')
    throw invalidPatch(patched, `strict decoding error: ${messages.join(', ')}`);
  for (const warning of messages) call.warn(warning);
  return object;
}

function pruned(
  { schemas }: Backend,
  { info }: Call,
  patched: unknown,
): { object: AnyObject; unknown: readonly string[] } {
  const value = ofKind(patched, info, info.source === 'custom');
  try {
    return schemas.prune(info, asKind(value, info));
  } catch (error) {
    if (!KubeError.is(error, 'BadRequest')) throw error;
    const message = error.apiStatus?.message ?? '';
    throw invalidPatch(patched, message.replace(/^\S+ in version "\S+" cannot be handled as a \S+: /, ''));
  }
}

/** A patch cannot make something else of an object. */
function ofKind(patched: unknown, expected: ExpectedKind, isCustom = false): Record<string, unknown> {
  if (!isRecord(patched)) throw invalidPatch(patched, `json: cannot unmarshal ${typeName(patched)} into Go value`);
  const { apiVersion, kind } = typesOf(patched, (message) =>
    invalidPatch(patched, `couldn't get version/kind; json parse error: ${message}`),
  );
  const wanted = apiVersionOf(expected);
  if ((kind === '' || kind === expected.kind) && (apiVersion === '' || apiVersion === wanted)) return patched;
  if (isCustom && apiVersion === wanted) throw wrongKind(patched, kind, expected);
  throw invalidPatch(patched, `no kind "${kind}" is registered for version "${apiVersion}"`);
}

/** The object of a Scale or another kind that is only a view, after a patch. */
export function decodePatchedView(patched: unknown, expected: ExpectedKind): KubeObject {
  return asKind(ofKind(patched, expected), expected);
}
