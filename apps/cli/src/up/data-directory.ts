import { chmod, mkdir, readdir } from 'node:fs/promises';
import { CliError } from '../errors/cli-error.ts';

/** By these the directory of an earlier `up` is known, however far it came. */
const ownNames = ['kubeconfigs', 'hub', 'ready.json', 'up.log', 'up.sock'];

/**
 * Makes a directory for a fleet, or takes that of an earlier one. It holds keys, so it is for its owner only; one with other things
 * in it is refused, because other users could not read them any more.
 */
export async function makeDataDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await checkDataDirectory(path);
  await chmod(path, 0o700);
}

/** Refuses a directory that cannot be used, and changes nothing. One that does not exist can be made. */
export async function checkDataDirectory(path: string): Promise<void> {
  const names = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new CliError(
      'usage',
      `--data-dir ${path} cannot be read: ${error.message}`,
      'Name another directory.',
      error,
    );
  });
  if (names.length > 0 && !names.some((name) => ownNames.includes(name))) {
    throw new CliError(
      'usage',
      `there are other things in --data-dir ${path}`,
      'Name a directory that is empty or not there yet.',
    );
  }
}
