import { chmod, mkdir, readdir } from 'node:fs/promises';
import { CliError } from '../errors.ts';

/** By these the directory of an earlier `up` is known, however far it came. */
const ownNames = ['kubeconfigs', 'hub', 'up.log', 'up.sock'];

/**
 * Makes a directory for a fleet, or takes that of an earlier one. It holds keys, so it is for its owner only; one with other things
 * in it is refused, because they would be closed to everybody else too.
 */
export async function makeDataDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const names = await readdir(path);
  if (names.length > 0 && !names.some((name) => ownNames.includes(name))) {
    throw new CliError(
      'usage',
      `there are other things in --data-dir ${path}`,
      'Name a directory that is empty or not there yet.',
    );
  }
  await chmod(path, 0o700);
}
