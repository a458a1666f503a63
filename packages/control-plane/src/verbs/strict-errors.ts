import type { Call } from '../contracts/call.ts';
import { bodyType } from '../requests/accept.ts';
import { JsonText } from './json-text.ts';
import type { WriteOptions } from './write-options.ts';

/**
 * The errors of strict decoding of a body, in the order of the real server: that of the document for built-in kinds in JSON; in YAML, and
 * for custom resources, duplicate fields come first.
 */
export function strictErrors(
  { info, headers, body }: Pick<Call, 'info' | 'headers' | 'body'>,
  duplicates: readonly string[],
  unknown: readonly string[],
  fieldValidation: WriteOptions['fieldValidation'],
): string[] {
  const unknownTexts = unknown.map((path) => `unknown field "${path}"`);
  const type = bodyType(headers['content-type']);
  if (type === 'application/yaml' && duplicates.length > 0 && fieldValidation === 'Strict') {
    // The parser reports all errors at once.
    return [`yaml: unmarshal errors:\n${duplicates.map((one) => `  ${one}`).join('\n')}`, ...unknownTexts];
  }
  const isJson = type !== 'application/yaml';
  if (info.source === 'custom' || !isJson || duplicates.length === 0) return [...duplicates, ...unknownTexts];
  const fields: { readonly path: string; readonly isRepeated: boolean }[] = [];
  new JsonText(body, (path, isRepeated) => fields.push({ path, isRepeated })).syntaxError();
  const inUnknown = (path: string): boolean =>
    unknown.some((one) => path === one || path.startsWith(`${one}.`) || path.startsWith(`${one}[`));
  const messages = fields.flatMap(({ path, isRepeated }) => {
    if (unknown.includes(path)) return [`unknown field "${path}"`];
    // The content of an unknown field is not read.
    return isRepeated && !inUnknown(path) ? [`duplicate field "${path}"`] : [];
  });
  return [...new Set(messages)];
}
