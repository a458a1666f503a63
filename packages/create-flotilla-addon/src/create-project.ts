import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { localPackages, useLocalPackages } from './local-packages.ts';
import { ProjectError } from './project-error.ts';

/** What the template calls the add-on; each occurrence becomes its name. */
const placeholder = 'my-addon';

/** Files and folders that tools would take for their own where the template is: npm, which leaves a .gitignore out of packages, and those of this workspace. */
const renamed = {
  _github: '.github',
  _gitignore: '.gitignore',
  '_package.json': 'package.json',
  '_tsconfig.json': 'tsconfig.json',
  '_tsconfig.build.json': 'tsconfig.build.json',
};

/** How a project is made. */
export interface CreateProjectOptions {
  /** A directory of `npm run pack:local`, whose packages the project is to use. Default: those of the npm registry. */
  readonly from?: string;
}

/** A project that was made. */
export interface CreatedProject {
  /** Name of the add-on. */
  readonly name: string;
  readonly directory: string;
  /** Paths within the directory. */
  readonly files: readonly string[];
}

/**
 * Makes a project for an add-on, named like its directory, which must not exist or be empty. It depends on packages of the same
 * version as this one.
 */
export async function createProject(path: string, { from }: CreateProjectOptions = {}): Promise<CreatedProject> {
  const directory = resolve(path);
  const name = basename(directory);
  refuseName(name);
  await refuseOccupied(directory);
  const local = from === undefined ? undefined : await localPackages(from);
  await mkdir(directory, { recursive: true });
  try {
    await cp(new URL('../template', import.meta.url), directory, { recursive: true });
    for (const [from, to] of Object.entries(renamed)) await rename(join(directory, from), join(directory, to));
    const files = await filesIn(directory);
    const version = await ownVersion();
    for (const file of files) {
      const text = await readFile(join(directory, file), 'utf8');
      const own = text.replaceAll(placeholder, name).replaceAll('0.0.0-flotilla', `^${version}`);
      if (own !== text) await writeFile(join(directory, file), own);
    }
    const copied = local ? await useLocalPackages(directory, local) : [];
    return { name, directory, files: [...files, ...copied] };
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Letters of a name. `defineAddon` accepts 63, the limit of a label: the project has labels and objects of the name with a suffix, such
 * as `-agent`, and an author adds others.
 */
const maxNameLength = 50;

/** The name of the add-on is part of names of works, Secrets and users. */
function refuseName(name: string): void {
  if (name.length <= maxNameLength && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name)) return;
  throw new ProjectError(
    `"${name}" cannot be the name of an add-on`,
    `Use at most ${maxNameLength} lower-case letters, digits and dashes, beginning with a letter, such as my-addon.`,
  );
}

async function refuseOccupied(directory: string): Promise<void> {
  const found = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new ProjectError(`${directory} cannot be used: ${error.message}`, 'Name a directory that does not exist.');
  });
  if (found.length === 0) return;
  throw new ProjectError(`${directory} is not empty`, 'Name a directory that does not exist, or empty this one.');
}

async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(directory.length + 1))
    .sort();
}

async function ownVersion(): Promise<string> {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  const manifest: { readonly version: string } = JSON.parse(text);
  return manifest.version;
}
