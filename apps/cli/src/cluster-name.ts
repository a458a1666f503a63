import { CliError } from './errors.ts';

const syntax = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** Refuses what cannot name a cluster. */
export function checkClusterName(name: string): string {
  if (name.length <= 63 && syntax.test(name)) return name;
  throw new CliError(
    'usage',
    `"${name}" cannot be the name of a cluster`,
    'It must have 1 to 63 lower-case letters, digits and hyphens, and begin and end with a letter or digit.',
  );
}
