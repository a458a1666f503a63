import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { builtinFlags, flagOf, type OptionDefinitions, optionByFlag } from './definition.ts';
import { didYouMean } from './read-value.ts';
import { emptyReading, record, type SourceReading, shown } from './source.ts';

/** What a command line says. */
export interface FlagReading extends SourceReading {
  help: boolean;
  version: boolean;
  config?: string;
  readonly positionals: string[];
}

/** Reads `--flag=value`, `--flag value`, `--flag`, `-v 4`, `-v=4`; `_` in a flag's name counts as `-`. */
export function readFlags(definitions: OptionDefinitions, argv: readonly string[]): FlagReading {
  const reading: FlagReading = { ...emptyReading(), help: false, version: false, positionals: [] };
  const options = optionByFlag(definitions);
  for (const { name, written, value } of tokens(definitions, argv, reading)) {
    const option = options.get(name);
    if (name === 'help' || name === 'version') reading[name] = value !== 'false';
    else if (name === 'config') readConfigPath(reading, value);
    else if (!option) {
      const guess = didYouMean(name, [...options.keys(), ...builtinFlags]).replace('mean ', 'mean --');
      reading.errors.push(`${written} is not a known flag${guess}`);
    } else {
      const { key, definition } = option;
      const text = value ?? (definition.type === 'boolean' ? 'true' : undefined);
      if (text === undefined) reading.errors.push(`--${name} needs a value; write --${name}=<${definition.type}>`);
      else record(reading, key, { raw: text, written: `--${name}=${shown(definition, text)}` });
    }
  }
  return reading;
}

function readConfigPath(reading: FlagReading, path: string | undefined): void {
  if (path === undefined) reading.errors.push('--config needs a value, the path of a YAML file');
  else reading.config = path;
}

interface FlagToken {
  name: string;
  /** With its dashes, as the user wrote it. */
  written: string;
  value: string | undefined;
}

function tokens(definitions: OptionDefinitions, argv: readonly string[], reading: FlagReading): FlagToken[] {
  const parsed = parseArgs({
    args: normalizeNames(argv, reading.warnings),
    options: parseArgsOptions(definitions),
    // The library's own errors neither name the value nor the nearest flag.
    strict: false,
    tokens: true,
  });
  const flags: FlagToken[] = [];
  for (const token of parsed.tokens) {
    if (token.kind === 'positional') reading.positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, inlineValue } = token;
    // `-v=4` leaves the `=` in the value.
    const value = rawName.startsWith('--') ? token.value : token.value?.replace(/^=/, '');
    // `--kubeconfig --profiling`: the value was forgotten, and the next flag is not it.
    const forgotten = !inlineValue && value?.startsWith('--');
    flags.push({ name, written: rawName, value: forgotten ? undefined : value });
  }
  return flags;
}

function parseArgsOptions(definitions: OptionDefinitions): ParseArgsOptionsConfig {
  const options: ParseArgsOptionsConfig = {
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean' },
    config: { type: 'string' },
  };
  for (const [key, definition] of Object.entries(definitions)) {
    options[flagOf(key, definition)] = {
      type: definition.type === 'boolean' ? 'boolean' : 'string',
      ...(definition.short !== undefined && { short: definition.short }),
    };
  }
  return options;
}

function normalizeNames(argv: readonly string[], warnings: string[]): string[] {
  const end = argv.indexOf('--');
  return argv.map((argument, index) => {
    const name = /^--[^=]*_[^=]*/.exec(argument)?.[0];
    if (name === undefined || (end >= 0 && index > end)) return argument;
    const dashed = name.replaceAll('_', '-');
    warnings.push(`${name} is read as ${dashed}`);
    return dashed + argument.slice(name.length);
  });
}
