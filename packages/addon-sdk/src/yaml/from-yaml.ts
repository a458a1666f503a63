import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KubeError } from '@flotilla/kube';
import { isRecord, stringifyJson } from '@flotilla/schema';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from '../definition/manifest.ts';
import { Template, type TemplateHelper } from './template.ts';

/** What templates may use beside values. */
export interface FromYamlOptions {
  /** Beside `base64` and `json`. */
  readonly helpers?: Readonly<Record<string, TemplateHelper>>;
}

const builtIn: Readonly<Record<string, TemplateHelper>> = {
  base64: (value) => Buffer.from(typeof value === 'string' ? value : stringifyJson(value)).toString('base64'),
  json: (value) => stringifyJson(value),
};

const isTemplate = (name: string): boolean => /\.(ya?ml|json)$/.test(name);

/**
 * The objects in the YAML and JSON files below a directory, in the order of their names, with `{{ placeholders }}` filled from values.
 * A placeholder that stands alone keeps the type of its value; `{{ name? }}` leaves the field out if there is none; `<<: {{ name }}`
 * adds the fields of an object. Empty documents are left out.
 */
export async function fromYaml(
  directory: string | URL,
  values: Readonly<Record<string, unknown>> = {},
  { helpers = {} }: FromYamlOptions = {},
): Promise<Manifest[]> {
  const root = typeof directory === 'string' ? directory : fileURLToPath(directory);
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch((cause: Error) => {
    throw KubeError.from(cause);
  });
  const files = entries
    .filter((entry) => entry.isFile() && isTemplate(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  if (files.length === 0) {
    throw new KubeError('Config', `${root} has no templates`, { hint: 'Put .yaml, .yml or .json files there.' });
  }
  const parts = await Promise.all(
    files.map(async (file) => renderText(await readFile(file, 'utf8'), relative(root, file), values, helpers)),
  );
  return parts.flat();
}

/** The objects in one text. */
export function renderText(
  text: string,
  file: string,
  values: Readonly<Record<string, unknown>>,
  helpers: Readonly<Record<string, TemplateHelper>> = {},
): Manifest[] {
  const template = new Template({ file, values, helpers: { ...builtIn, ...helpers } });
  return parseAllDocuments(template.protect(text)).flatMap((document) => {
    const [error] = document.errors;
    if (error) throw new TypeError(`${file}: ${error.message.trim()}`);
    const filled = template.fill(document.toJS(), '');
    if (filled === null || filled === undefined) return [];
    if (!isRecord(filled))
      throw new TypeError(`${file}: a document is ${JSON.stringify(filled)}; it must be an object`);
    return [filled];
  });
}
