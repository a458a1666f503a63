import { readFileSync } from 'node:fs';
import { KubeError } from '@flotilla/kube';
import { readConfigFile } from './config-file.ts';
import { envPrefixOf, flagOf, type OptionDefinition, type OptionDefinitions, type OptionValues } from './definition.ts';
import { type Environment, readEnvironment } from './environment.ts';
import { type FlagReading, readFlags } from './flags.ts';
import { helpText } from './help.ts';
import { defaultValue, InvalidValue, readValue } from './read-value.ts';
import { emptyReading, type OptionSource, type SourceReading } from './source.ts';

/** What options are read from. */
export interface ParseOptionsInput {
  /** Without the program itself: `process.argv.slice(2)`. */
  argv: readonly string[];
  env: Environment;
  /** Name shown by --help. */
  program?: string;
  /** What the process does, shown by --help. */
  description?: string;
  /** Of the environment variables. Default: the program in upper case. */
  envPrefix?: string;
  /** Words that are not flags: refused unless allowed. */
  allowPositionals?: boolean;
  readFile?: (path: string) => string;
}

/** What the user asked for. */
export type ParsedOptions<D extends OptionDefinitions> =
  | { kind: 'help'; text: string }
  | { kind: 'version' }
  | {
      kind: 'run';
      values: OptionValues<D>;
      /** Which source decided, for a line in the log at the start. */
      sources: Readonly<Record<keyof D, OptionSource>>;
      positionals: readonly string[];
      /** For the log: deprecated flags, renamed flags. */
      warnings: readonly string[];
    };

/**
 * Reads options: a flag wins over the environment, that over the file of --config, that over the default.
 * All errors are reported at once, in one KubeError `Config` that names each option, its value and what to write.
 */
export function parseOptions<const D extends OptionDefinitions>(
  definitions: D,
  input: ParseOptionsInput,
): ParsedOptions<D> {
  const { program = 'program', envPrefix = envPrefixOf(program) } = input;
  const flags = readFlags(definitions, input.argv);
  if (flags.help) return { kind: 'help', text: helpText(definitions, { ...input, envPrefix }) };
  if (flags.version) return { kind: 'version' };

  const env = readEnvironment(definitions, input.env, envPrefix);
  const file = readFile(definitions, flags.config ?? input.env[`${envPrefix}_CONFIG`], input.readFile);
  const errors = [...flags.errors, ...unexpected(flags, input), ...env.errors, ...file.errors];
  const warnings = [...flags.warnings];
  const values: Record<string, unknown> = {};
  const sources: Record<string, OptionSource> = {};
  for (const [key, definition] of Object.entries<OptionDefinition>(definitions)) {
    const choice = choose(key, { flag: flags, env, file });
    sources[key] = choice.source;
    const flag = flagOf(key, definition);
    if (choice.source !== 'default' && definition.deprecated !== undefined) {
      warnings.push(`--${flag} is deprecated: ${definition.deprecated}`);
    }
    try {
      values[key] = choice.source === 'default' ? defaultValue(definition) : readValue(definition, choice.raws);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      errors.push(`${choice.written} ${error.message}`);
    }
    if (choice.source === 'default' && 'required' in definition && definition.required) {
      errors.push(`--${flag} is required: ${definition.description}`);
    }
  }
  if (errors.length > 0) throw optionsError(errors, input.program);
  return {
    kind: 'run',
    // Each value was read by its definition, from which the type is inferred.
    values: values as OptionValues<D>,
    sources: sources as Record<keyof D, OptionSource>,
    positionals: flags.positionals,
    warnings,
  };
}

function choose(key: string, readings: Record<'flag' | 'env' | 'file', SourceReading>) {
  for (const source of ['flag', 'env', 'file'] as const) {
    const occurrences = readings[source].occurrences.get(key);
    if (!occurrences) continue;
    const written = occurrences.map((occurrence) => occurrence.written).join(' ');
    return { source, raws: occurrences.map((occurrence) => occurrence.raw), written };
  }
  return { source: 'default' as const, raws: [], written: '' };
}

function unexpected(flags: FlagReading, { allowPositionals = false }: ParseOptionsInput): string[] {
  if (allowPositionals) return [];
  return flags.positionals.map(
    (word) => `${JSON.stringify(word)} is not expected; all options are flags, --name=value`,
  );
}

function readFile(
  definitions: OptionDefinitions,
  path: string | undefined,
  read: (path: string) => string = (name) => readFileSync(name, 'utf8'),
): SourceReading {
  if (!path) return emptyReading();
  let text: string;
  try {
    text = read(path);
  } catch (error) {
    throw KubeError.from(error, `cannot read the file of --config=${path}`);
  }
  return readConfigFile(definitions, path, text);
}

function optionsError(errors: readonly string[], program: string | undefined): KubeError {
  const [first = ''] = errors;
  const message = errors.length === 1 ? first : `${errors.length} options:\n  ${errors.join('\n  ')}`;
  return new KubeError('Config', message, { hint: `See ${program ?? 'the program'} --help for all options.` });
}
