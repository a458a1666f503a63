import { KubeError } from '@flotilla/kube';
import { nearest } from '@flotilla/kube/errors';
import { formatDuration, parseDuration } from '@flotilla/kube/meta';
import type {
  ChoiceDefinition,
  DurationDefinition,
  GatesDefinition,
  ListDefinition,
  NumberDefinition,
  OptionDefinition,
  StringDefinition,
} from './definition.ts';
import type { FeatureGates, FeatureStage } from './feature-gates.ts';

/** A value as a source has it: a text (flag, environment), or a list or map of the config file, taken as it is. */
export type RawValue =
  | string
  | { readonly items: readonly string[] }
  | { readonly entries: readonly (readonly [string, string])[] };

/** What is wrong with a value and which form it needs. The caller adds where the value came from. */
export class InvalidValue extends Error {
  override readonly name = 'InvalidValue';
}

/** The value of an option from all its occurrences in one source. Throws InvalidValue. */
export function readValue(definition: OptionDefinition, raws: readonly RawValue[]): unknown {
  switch (definition.type) {
    case 'list':
      return readList(definition, raws);
    case 'map':
      return readMap(raws);
    case 'gates':
      return readGates(definition, raws);
    default:
      return readScalar(definition, lastText(raws));
  }
}

/** The value of an option that no source has. */
export function defaultValue(definition: OptionDefinition): unknown {
  switch (definition.type) {
    case 'boolean':
      return definition.default ?? false;
    case 'duration':
      return definition.default === undefined ? undefined : parseDuration(definition.default);
    case 'list':
      return definition.default ?? [];
    case 'map':
      return definition.default ?? {};
    case 'gates':
      return gateDefaults(definition.gates);
    default:
      return definition.default;
  }
}

type ScalarDefinition = Exclude<OptionDefinition, { type: 'list' | 'map' | 'gates' }>;

function readScalar(definition: ScalarDefinition, text: string): unknown {
  switch (definition.type) {
    case 'string':
      return readString(definition, text);
    case 'boolean':
      return readBoolean(text);
    case 'duration':
      return readDuration(definition, text);
    case 'choice':
      return readChoice(definition, text);
    default:
      return readNumber(definition, text);
  }
}

function lastText(raws: readonly RawValue[]): string {
  const last = raws.at(-1);
  if (typeof last !== 'string') throw new InvalidValue('has a list or map where one value is expected');
  return last;
}

function readString(definition: StringDefinition, text: string): string {
  const complaint = definition.validate?.(text);
  if (complaint !== undefined) throw new InvalidValue(complaint);
  return text;
}

function readBoolean(text: string): boolean {
  if (/^(1|t|true)$/i.test(text)) return true;
  if (/^(0|f|false)$/i.test(text)) return false;
  throw new InvalidValue('is neither true nor false');
}

function readNumber(definition: NumberDefinition, text: string): unknown {
  const { type, min, max, zeroIsDefault } = definition;
  const value = Number(text);
  const valid =
    type === 'integer'
      ? /^[+-]?\d+$/.test(text) && Number.isSafeInteger(value)
      : /\d/.test(text) && Number.isFinite(value);
  if (!valid) throw new InvalidValue(type === 'integer' ? 'is not a whole number' : 'is not a number');
  if (zeroIsDefault && value === 0) return defaultValue(definition);
  if (min !== undefined && value < min) throw new InvalidValue(`is too small; the least is ${min}`);
  if (max !== undefined && value > max) throw new InvalidValue(`is too large; the most is ${max}`);
  return value;
}

function readDuration(definition: DurationDefinition, text: string): unknown {
  const { min, zeroIsDefault } = definition;
  let value: number;
  try {
    value = parseDuration(text);
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    throw new InvalidValue(error.message.slice(error.message.indexOf(' is not a duration') + 1));
  }
  if (zeroIsDefault && value === 0) return defaultValue(definition);
  const least = min === undefined ? 0 : parseDuration(min);
  if (value < least) throw new InvalidValue(`is too short; the least is ${formatDuration(least)}`);
  return value;
}

function readChoice({ choices }: ChoiceDefinition, text: string): string {
  if (choices.includes(text)) return text;
  throw new InvalidValue(`is unknown; use ${listed(choices)}${didYouMean(text, choices)}`);
}

function readList({ split }: ListDefinition, raws: readonly RawValue[]): string[] {
  return raws.flatMap((raw) => {
    if (typeof raw === 'string') return split === false ? [raw] : commaSeparated(raw);
    if ('items' in raw) return [...raw.items];
    throw new InvalidValue('has a map where a list is expected');
  });
}

function readMap(raws: readonly RawValue[]): Record<string, string> {
  const entries = raws.flatMap((raw) => {
    if (typeof raw === 'string') return commaSeparated(raw).map(readPair);
    return 'items' in raw ? raw.items.map(readPair) : raw.entries;
  });
  return Object.fromEntries(entries);
}

function readPair(pair: string): [string, string] {
  const equals = pair.indexOf('=');
  if (equals <= 0) throw new InvalidValue(`has ${JSON.stringify(pair)}, which is not key=value`);
  return [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()];
}

function readGates({ gates }: GatesDefinition, raws: readonly RawValue[]): Record<string, boolean> {
  const values = gateDefaults(gates);
  // Those of a whole stage first: a gate that is named itself wins.
  const entries = Object.entries(readMap(raws)).sort(
    ([a], [b]) => Number(stageOfAll.has(b)) - Number(stageOfAll.has(a)),
  );
  for (const [name, text] of entries) {
    const stage = stageOfAll.get(name);
    if (stage !== undefined) {
      const on = readGate(name, text);
      for (const [one, gate] of Object.entries(gates)) if (gate.stage === stage && !gate.locked) values[one] = on;
      continue;
    }
    const gate = Object.hasOwn(gates, name) ? gates[name] : undefined;
    if (!gate) {
      const known = Object.keys(gates).sort();
      throw new InvalidValue(
        `names the unknown feature gate ${name}${didYouMean(name, known)}; known are ${listed(known)}`,
      );
    }
    const on = readGate(name, text);
    if (gate.locked && on !== gate.default) throw new InvalidValue(`sets ${name}, which is locked to ${gate.default}`);
    values[name] = on;
  }
  return values;
}

/** Kubernetes' names for all gates of a stage. */
const stageOfAll: ReadonlyMap<string, FeatureStage> = new Map([
  ['AllAlpha', 'alpha'],
  ['AllBeta', 'beta'],
]);

function readGate(name: string, text: string): boolean {
  if (!/^(true|false)$/i.test(text)) throw new InvalidValue(`sets ${name} to ${text}; use true or false`);
  return text.toLowerCase() === 'true';
}

const gateDefaults = (gates: FeatureGates): Record<string, boolean> =>
  Object.fromEntries(Object.entries(gates).map(([name, gate]) => [name, gate.default]));

const commaSeparated = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

const listed = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '));

/** ` (did you mean x?)`, or nothing. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const close = nearest(name, candidates);
  return close === undefined ? '' : ` (did you mean ${close}?)`;
}
