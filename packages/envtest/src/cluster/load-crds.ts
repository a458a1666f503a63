import { readdir, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { KubeObject } from '@flotilla/schema';
import { parseAllDocuments } from 'yaml';
import { EnvtestError } from '../errors.ts';

/** The CRDs of Flotilla itself, as `@flotilla/api-types` publishes them. */
export function flotillaCrds(): Promise<KubeObject[]> {
  const apiTypes = createRequire(import.meta.url).resolve('@flotilla/api-types/package.json');
  return loadCrds([join(dirname(apiTypes), 'crds')]);
}

/** Reads the objects of YAML or JSON files, and of all such files in directories. */
export async function loadCrds(paths: readonly string[]): Promise<KubeObject[]> {
  const files = (await Promise.all(paths.map(filesOf))).flat();
  return (await Promise.all(files.map(readObjects))).flat();
}

async function filesOf(path: string): Promise<string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const names = (await readdir(path)).filter((name) => /\.(ya?ml|json)$/.test(name)).sort();
    return names.map((name) => join(path, name));
  } catch (cause) {
    throw new EnvtestError('InvalidOption', `CRDs: ${path} cannot be read`, { cause });
  }
}

async function readObjects(path: string): Promise<KubeObject[]> {
  const documents = parseAllDocuments(await readFile(path, 'utf8'));
  return documents.flatMap((document) => {
    const [error] = document.errors;
    if (error) throw new EnvtestError('InvalidOption', `CRDs: ${path} is not YAML: ${error.message}`);
    const object: KubeObject | null = document.toJS();
    return object ? [object] : [];
  });
}
