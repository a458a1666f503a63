import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { CliContext } from './context.ts';

/** How the names of plugins begin, as kubectl's begin with `kubectl-`. */
const prefix = 'flotilla-';

type Env = CliContext['env'];

const directoriesOf = ({ PATH = '' }: Env): string[] =>
  [...new Set(PATH.split(delimiter))].filter((path) => path !== '');

const isExecutable = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );

/** The files of plugins, in the order in which a shell finds them. */
export async function listPlugins(env: Env): Promise<string[]> {
  const files = await Promise.all(
    directoriesOf(env).map(async (directory) => {
      const names = await readdir(directory).catch(() => []);
      return names.filter((name) => name.startsWith(prefix)).map((name) => join(directory, name));
    }),
  );
  const found = files.flat();
  const executable = await Promise.all(found.map(isExecutable));
  return found.filter((_, index) => executable[index]);
}

/** The file of one plugin. */
export async function findPlugin(env: Env, name: string): Promise<string | undefined> {
  for (const directory of /^[a-z][a-z0-9-]*$/.test(name) ? directoriesOf(env) : []) {
    const file = join(directory, `${prefix}${name}`);
    if (await isExecutable(file)) return file;
  }
  return undefined;
}

/** Runs a plugin on this terminal, and gives its exit code. */
export async function runPlugin(file: string, argv: readonly string[], env: Env): Promise<number> {
  const child = spawn(file, argv, { env: { ...env }, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  return typeof code === 'number' ? code : 130;
}
