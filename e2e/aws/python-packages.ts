import { execFile } from 'node:child_process';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EnvtestError } from '@flotilla/envtest';

const run = promisify(execFile);

/** Installs packages of the Python Package Index into the cache, once for each list of versions; gives the directory. */
export async function ensurePythonPackages(name: string, requirements: readonly string[]): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'flotilla', name);
  const directory = join(cache, requirements.join('-').replaceAll('==', '-'));
  const isThere = () =>
    access(directory).then(
      () => true,
      () => false,
    );
  if (await isThere()) return directory;
  const unfinished = `${directory}.${process.pid}`;
  await mkdir(cache, { recursive: true });
  try {
    await run('python3', ['-m', 'pip', 'install', '--quiet', '--target', unfinished, ...requirements]);
    await rename(unfinished, directory);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // Another process may have installed them meanwhile.
    if (await isThere()) return directory;
    throw new EnvtestError('BuildFailed', `the suites about AWS need ${name}, and it cannot be installed`, {
      cause: error,
      hint: `Install Python 3.10 or newer with pip; "python3 -m pip install ${requirements.join(' ')}" must work.`,
    });
  }
  return directory;
}
