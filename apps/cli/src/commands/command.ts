import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors.ts';

/** Adds one command; `program` is where it goes, so that `get` can have children. */
export type AddCommand = (program: Command, context: CliContext) => void;

/** The options of a command together with the global ones. */
export const allOptions = <T>(command: Command): T & GlobalOptions => command.optsWithGlobals<T & GlobalOptions>();

/** `-o`, with the forms that a command has. */
export const outputOption = (...choices: readonly string[]): Option =>
  new Option('-o, --output <format>', 'how to print it').choices(choices).default(choices[0]);

/** `a,b` once or several times. */
export const listOption = (text: string, before: readonly string[] = []): string[] => {
  const values = text
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '');
  if (values.length === 0) throw new InvalidArgumentError('It must not be empty.');
  return [...new Set([...before, ...values])];
};

/** A whole number that is not negative. */
export function countOption(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) throw new InvalidArgumentError('It must be a whole number.');
  return value;
}

const clusterNameSyntax = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** Refuses what cannot name a cluster. */
export function checkClusterName(name: string): string {
  if (name.length <= 63 && clusterNameSyntax.test(name)) return name;
  throw new CliError(
    'usage',
    `"${name}" cannot be the name of a cluster`,
    'It must have 1 to 63 lower-case letters, digits and hyphens, and begin and end with a letter or digit.',
  );
}
