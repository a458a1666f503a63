import type { Call } from '../contracts/call.ts';
import { bodyType } from '../requests/accept.ts';
import { FirstTexts, firstTexts } from './first-texts.ts';
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
): readonly string[] {
  const unknownTexts = unknown.map((path) => `unknown field "${path}"`);
  const type = bodyType(headers['content-type']);
  if (type === 'application/yaml' && duplicates.length > 0 && fieldValidation === 'Strict') {
    // The parser reports all errors at once.
    return firstTexts([`yaml: unmarshal errors:\n${duplicates.map((one) => `  ${one}`).join('\n')}`, ...unknownTexts]);
  }
  const isOrdered = info.source !== 'custom' && type !== 'application/yaml' && duplicates.length > 0;
  const ordered = isOrdered ? inOrderOfText(body, unknown) : undefined;
  return ordered ?? firstTexts([...duplicates, ...unknownTexts]);
}

/** Letters of all paths of a document whose errors are put in order. */
const maxLetters = 1024 * 1024;

/** The errors of a JSON document in its own order; undefined if it is too large for that. */
function inOrderOfText(body: Buffer, unknown: readonly string[]): readonly string[] | undefined {
  const fields: { readonly path: string; readonly isRepeated: boolean }[] = [];
  let letters = 0;
  new JsonText(body, (pathOf, isRepeated) => {
    if (letters > maxLetters) return;
    const path = pathOf();
    letters += path.length;
    fields.push({ path, isRepeated });
  }).syntaxError();
  if (letters > maxLetters) return undefined;
  const isUnknown = new Set(unknown);
  const lengths = [...new Set(unknown.map(({ length }) => length))];
  const isInUnknown = (path: string): boolean =>
    lengths.some((length) => /[.[]/.test(path.charAt(length)) && isUnknown.has(path.slice(0, length)));
  const messages = new FirstTexts();
  for (const { path, isRepeated } of fields) {
    if (messages.isFull) break;
    if (isUnknown.has(path)) messages.add(() => `unknown field "${path}"`);
    // The content of an unknown field is not read.
    else if (isRepeated && !isInUnknown(path)) messages.add(() => `duplicate field "${path}"`);
  }
  return messages.texts;
}
