import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CliContext, GlobalOptions } from '../context.ts';
import { type AuthType, authTypes, type DriverFlags, flagsOf } from '../options/driver-flags.ts';

/**
 * Adds one command; `program` is where it goes, so that `get` can have children. Its file has flags and help; what it does
 * is in `actions` and loaded when it is called, so that no command waits for what others need.
 */
export type AddCommand = (program: Command, context: CliContext) => void;

/** The options of a command together with the global ones. */
export const allOptions = <T>(command: Command): T & GlobalOptions => command.optsWithGlobals<T & GlobalOptions>();

/** `-o`, with the forms that a command has. */
export const outputOption = (...choices: readonly string[]): Option =>
  new Option('-o, --output <format>', 'output format').choices(choices).default(choices[0]);

/** `-o` of a command that lists objects; `more` is what only some kinds have. */
export const listOutputOption = (...more: readonly 'tree'[]): Option =>
  outputOption('table', 'wide', ...more, 'name', 'json', 'yaml');

/** `-o` of a command that writes or deletes objects. */
export const changeOutputOption = (): Option => outputOption('text', 'name', 'json', 'yaml');

/** `--dry-run`, for commands that change something. */
export const dryRunOption = (): Option => new Option('--dry-run', 'change nothing; print what would be changed');

/** `--yes`, for commands that ask before they change what an earlier one made. */
export const yesOption = (): Option =>
  new Option('-y, --yes', 'change what is there without a question; without a terminal nothing is asked');

/** `--timeout`, for commands that wait; `what` says for what. */
export const timeoutOption = (what: string): Option =>
  new Option('--timeout <seconds>', `how long to wait ${what}`).argParser(countOption).default(300);

/** `--registration-auth`, for commands about tokens: the auth types that begin with one. */
export const registrationAuthOption = (what: string): Option =>
  new Option('--registration-auth <type>', what).choices(['csr', 'grpc'] satisfies AuthType[]);

/** `a,b` once or several times. */
export const listOption = (text: string, before: readonly string[] = []): string[] => {
  const values = text
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '');
  if (values.length === 0) throw new InvalidArgumentError('Give at least one value.');
  return [...new Set([...before, ...values])];
};

/** A whole number that is not negative. */
export function countOption(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new InvalidArgumentError('Give a whole number, 0 or greater.');
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
  throw new InvalidArgumentError('Give true or false.');
}

/** Adds the flags of every auth type; one that several have is one flag. */
export function addDriverFlags(command: Command, of: keyof DriverFlags): void {
  for (const { name, value, description, isList } of authTypes.flatMap((authType) => flagsOf(authType, of))) {
    if (command.options.some(({ long }) => long === name)) continue;
    const option = new Option(`${name} <${value}>`, description);
    command.addOption(isList ? option.argParser(listOption) : option);
  }
}

/** The commands below one that its help lists, without `help` itself. */
export const visibleCommands = (command: Command): Command[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help');
