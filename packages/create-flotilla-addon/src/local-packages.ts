import { cp, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ProjectError } from './project-error.ts';

type Versions = Readonly<Record<string, string>>;

/** The tarballs that `npm run pack:local` made. */
export interface LocalPackages {
  readonly directory: string;
  /** Name of the file by that of its package. */
  readonly files: Versions;
}

/** Folder of a project with the tarballs of its packages. Its Dockerfile copies them: an image is built from the project alone. */
const vendor = 'vendor';

/** Reads which tarballs a directory has. */
export async function localPackages(from: string): Promise<LocalPackages> {
  const directory = resolve(from);
  const text = await readFile(join(directory, 'packages.json'), 'utf8').catch((error: Error) => {
    throw new ProjectError(
      `${directory} has no packages: ${error.message}`,
      'Make them in a checkout of Flotilla: npm run pack:local -- DIRECTORY',
    );
  });
  return { directory, files: JSON.parse(text) };
}

/**
 * Copies the tarballs into a project, and takes its packages from there, and those that they depend on among one another. Returns the
 * paths of the copies within the project.
 */
export async function useLocalPackages(project: string, { directory, files }: LocalPackages): Promise<string[]> {
  for (const file of Object.values(files)) await cp(join(directory, file), join(project, vendor, file));
  const tarballs = Object.fromEntries(
    Object.entries(files).map(([name, file]) => [name, `file:${vendor}/${file}`] as const),
  );
  const path = join(project, 'package.json');
  const manifest = JSON.parse(await readFile(path, 'utf8'));
  const local = (versions: Versions): Versions =>
    Object.fromEntries(Object.entries(versions).map(([name, version]) => [name, tarballs[name] ?? version]));
  const own = {
    ...manifest,
    dependencies: local(manifest.dependencies),
    devDependencies: local(manifest.devDependencies),
    overrides: tarballs,
  };
  await writeFile(path, `${JSON.stringify(own, null, 2)}\n`);
  return Object.values(files).map((file) => join(vendor, file));
}
