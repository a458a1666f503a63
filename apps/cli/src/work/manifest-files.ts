import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { CliContext } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { type Manifest, parseManifests } from './manifests.ts';

const extensions = ['.yaml', '.yml', '.json'];

/** Reads the objects in files and directories, in the order of their names; `-` is the standard input. */
export async function readManifests(
  { readStdin }: Pick<CliContext, 'readStdin'>,
  paths: readonly string[],
  recursive: boolean,
): Promise<Manifest[]> {
  const manifests: Manifest[] = [];
  for (const path of paths) {
    if (path === '-') manifests.push(...parseManifests(await readStdin(), 'the standard input'));
    for (const file of path === '-' ? [] : await filesOf(path, recursive)) {
      manifests.push(...parseManifests(await readFile(file, 'utf8'), file));
    }
  }
  if (manifests.length > 0) return manifests;
  throw new CliError('usage', `there is no object in ${paths.join(', ')}`, 'Put at least one manifest there.');
}

async function filesOf(path: string, recursive: boolean): Promise<string[]> {
  if (/^https?:\/\//.test(path)) {
    throw new CliError(
      'usage',
      `${path} is an address, not a file`,
      `Fetch it, read it, and pipe it: curl -sSL ${path} | flotilla create work NAME -f -`,
    );
  }
  const found = await stat(path).catch((cause: unknown) => {
    throw new CliError(
      'usage',
      `${path} cannot be read`,
      'Give a file, a directory, or - for the standard input.',
      cause,
    );
  });
  if (!found.isDirectory()) return [path];
  const entries = await readdir(path, { withFileTypes: true, recursive });
  const files = entries
    .filter((entry) => entry.isFile() && extensions.includes(extname(entry.name)))
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
  if (files.length > 0) return files;
  throw new CliError(
    'usage',
    `there is no file with ${extensions.join(', ')} in ${path}`,
    recursive ? 'Name the files.' : 'Name the files, or search directories below with -R.',
  );
}
