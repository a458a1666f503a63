import { isReservedClusterName, reservedNameError, reservedNameHint } from '@flotilla/registration-core/contract';
import { isDnsLabel } from '@flotilla/schema';
import { CliError } from '../errors/cli-error.ts';

/** Refuses what cannot name a cluster. */
export function checkClusterName(name: string): string {
  if (isReservedClusterName(name)) throw new CliError('usage', reservedNameError(name), reservedNameHint);
  if (isDnsLabel(name)) return name;
  throw new CliError(
    'usage',
    `"${name}" cannot be the name of a cluster`,
    'It must have 1 to 63 lower-case letters, digits and hyphens, and begin and end with a letter or digit.',
  );
}
