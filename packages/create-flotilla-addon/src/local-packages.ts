import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ProjectError } from './project-error.ts';

type Versions = Readonly<Record<string, string>>;

/** The tarballs of a directory that `npm run pack:local` made, as npm names them in a package.json, by their packages. */
export async function localPackages(from: string): Promise<Versions> {
  const directory = resolve(from);
  const text = await readFile(join(directory, 'packages.json'), 'utf8').catch((error: Error) => {
    throw new ProjectError(
      `${directory} has no packages: ${error.message}`,
      'Make them in a checkout of Flotilla: npm run pack:local -- DIRECTORY',
    );
  });
  const files: Versions = JSON.parse(text);
  return Object.fromEntries(Object.entries(files).map(([name, file]) => [name, `file:${join(directory, file)}`]));
}

/** Takes the packages of a project from tarballs, and those that they depend on among one another. */
export async function useLocalPackages(project: string, tarballs: Versions): Promise<void> {
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
}
