import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors.ts';

/**
 * Adds one command; `program` is where it goes, so that `get` can have children. Its file has flags and help; what it does
 * is in `actions` and loaded when it is called, so that no command waits for what others need.
 */
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

/** `key=value`, once or several times, or separated by commas. */
export function pairsOption(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const pairs = listOption(text).map((pair) => {
    const at = pair.indexOf('=');
    if (at < 1) throw new InvalidArgumentError(`"${pair}" is not of the form key=value.`);
    return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
  });
  return { ...before, ...Object.fromEntries(pairs) };
}

/** `true` or `false`; the flag alone means true. */
export function booleanOption(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new InvalidArgumentError('It must be true or false.');
}

/** Refuses flags of clusteradm that nothing here could honour, instead of ignoring them. `flags` maps each to what it needs. */
export function refuseForNow(command: Command, flags: Readonly<Record<string, string>>): void {
  for (const [flag, need] of Object.entries(flags)) {
    const option = new Option(`${flag} [value]`).hideHelp();
    command.addOption(option).on(`option:${option.name()}`, () => {
      throw new CliError('usage', `${flag} is not there yet: it needs ${need}`, 'Leave it out.');
    });
  }
}
