import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { type CostMeter, costOfCharacter } from '../cost.ts';
import type { ReplacedMethods } from '../expression-plan.ts';
import { failure, type Library } from './library.ts';

/** Holds functions that are called as `strings.quote(text)`. */
class StringsNamespace {}

/** What CEL's strings extension has and the library does not. */
export const registerStrings: Library = (environment, charge) => {
  environment
    .registerFunction('string.charAt(int): string', (text: string, index: bigint) => {
      const letters = [...text];
      if (index < 0n || index > letters.length) throw failure(`index out of range: ${index}`);
      return letters[Number(index)] ?? '';
    })
    .registerFunction('string.reverse(): string', (text: string) => [...text].reverse().join(''))
    .registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) =>
      replaced(text, from, to, Number.POSITIVE_INFINITY, charge),
    )
    .registerFunction(
      'string.replace(string, string, int): string',
      (text: string, from: string, to: string, most: bigint) =>
        replaced(text, from, to, most < 0n ? Number.POSITIVE_INFINITY : Number(most), charge),
    )
    .registerFunction('string.format(list): string', (text: string, values: readonly unknown[]) =>
      formatted(text, values),
    )
    .registerFunction('string(google.protobuf.Timestamp): string', timeText)
    .registerFunction('string(google.protobuf.Duration): string', durationText)
    .registerType('StringsNamespace', StringsNamespace)
    .registerConstant('strings', 'StringsNamespace', new StringsNamespace())
    .registerFunction('StringsNamespace.quote(string): string', (_: StringsNamespace, text: string) => quoted(text));
};

/** Characters that are compared in the time of one unit. */
const comparisonsPerUnit = 250;

/** Some texts are compared with the text that is searched for at each of their characters. The library then searches. */
function chargeSearch([text, part]: readonly unknown[], meter: CostMeter): undefined {
  if (typeof text !== 'string' || typeof part !== 'string') return;
  meter.charge((text.length * part.length) / comparisonsPerUnit);
}

/** Where the library's own are not CEL's, or would build a text of any length before anyone can count it. */
export const stringMethods: ReplacedMethods = {
  'lowerAscii/0': ([text]) =>
    typeof text === 'string' ? text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : undefined,
  'upperAscii/0': ([text]) =>
    typeof text === 'string' ? text.replace(/[a-z]/g, (letter) => letter.toUpperCase()) : undefined,
  'join/1': ([list, separator], meter) => {
    if (Array.isArray(list) && typeof separator === 'string') {
      meter.charge(list.length * separator.length * costOfCharacter);
    }
    return undefined;
  },
  'contains/1': chargeSearch,
  'indexOf/1': chargeSearch,
  'indexOf/2': chargeSearch,
  'lastIndexOf/1': chargeSearch,
  'lastIndexOf/2': chargeSearch,
  'split/1': chargeSearch,
  'split/2': chargeSearch,
  'replace/2': chargeSearch,
  'replace/3': chargeSearch,
};

function replaced(text: string, from: string, to: string, most: number, charge: (units: number) => void): string {
  const parts = from === '' ? ['', ...text, ''] : text.split(from);
  const count = Math.min(parts.length - 1, most);
  charge((text.length + count * to.length) * costOfCharacter);
  return (
    parts.slice(0, count + 1).join(to) +
    parts
      .slice(count + 1)
      .map((part) => from + part)
      .join('')
  );
}

const escapes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

const quoted = (text: string): string => `"${[...text].map((letter) => escapes[letter] ?? letter).join('')}"`;

const clause = /%(?:\.(\d+))?([sdfeboxX%])|%/g;

/** Go's verbs, as far as CEL has them. */
function formatted(text: string, values: readonly unknown[]): string {
  let at = 0;
  return text.replace(clause, (whole, precision: string | undefined, verb: string | undefined) => {
    if (verb === '%') return '%';
    if (verb === undefined) throw failure(`could not parse formatting clause: ${whole}`);
    if (at >= values.length) throw failure(`index ${at} out of range`);
    const value = values[at];
    at += 1;
    return written(verb, precision === undefined ? 6 : Number(precision), value);
  });
}

function written(verb: string, precision: number, value: unknown): string {
  if (verb === 's') return shown(value);
  if (verb === 'f' || verb === 'e') return decimal(verb, Math.min(precision, 100), value);
  if (typeof value === 'boolean' && verb === 'b') return value ? '1' : '0';
  const hex = verb === 'x' || verb === 'X';
  if (hex && (typeof value === 'string' || value instanceof Uint8Array)) {
    return inCase(verb, Buffer.from(typeof value === 'string' ? Buffer.from(value) : value).toString('hex'));
  }
  const integer = value instanceof UnsignedInt ? value.valueOf() : value;
  if (typeof integer !== 'bigint') throw failure(`%${verb} can only be used on integers, was given ${typeof value}`);
  const base = { d: 10, b: 2, o: 8 }[verb] ?? 16;
  return inCase(verb, integer.toString(base));
}

const inCase = (verb: string, text: string): string => (verb === 'X' ? text.toUpperCase() : text);

function decimal(verb: string, precision: number, value: unknown): string {
  const number = typeof value === 'bigint' ? Number(value) : value;
  if (typeof number !== 'number') throw failure(`%${verb} can only be used on numbers, was given ${typeof value}`);
  if (!Number.isFinite(number)) return Number.isNaN(number) ? 'NaN' : number > 0 ? 'Infinity' : '-Infinity';
  if (verb === 'f') return number.toFixed(precision);
  return number.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2');
}

/** As `string()` of it; values in a list or map are written as literals. */
function shown(value: unknown): string {
  if (value instanceof Date) return timeText(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return typeof value === 'object' && value !== null ? literal(value) : String(value);
}

function literal(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return value.toFixed(6);
  if (value instanceof Date) return `timestamp("${timeText(value)}")`;
  if (value instanceof Duration) return `duration("${durationText(value)}")`;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null || value instanceof UnsignedInt) return String(value);
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${entries.map(([key, field]) => `${JSON.stringify(key)}:${literal(field)}`).join(', ')}}`;
}

const timeText = (time: Date): string => time.toISOString().replace(/\.?0*Z$/, 'Z');

/** In seconds, however long. */
function durationText({ seconds, nanos }: Duration): string {
  const sign = seconds < 0n || nanos < 0 ? '-' : '';
  const fraction = String(Math.abs(nanos)).padStart(9, '0').replace(/0+$/, '');
  return `${sign}${seconds < 0n ? -seconds : seconds}${fraction === '' ? '' : `.${fraction}`}s`;
}
