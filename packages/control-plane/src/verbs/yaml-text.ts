import { parseJson } from '@flotilla/schema';
import { type Document, isScalar, LineCounter, parseDocument, visit, type YAMLError } from 'yaml';
import { tooLarge } from '../errors/api-errors.ts';
import { isTooDeep, tooDeep } from './depth.ts';
import { JsonText } from './json-text.ts';

interface ParsedYaml {
  readonly value: unknown;
  /** What the parser says of keys that are there twice. */
  readonly repeated: readonly string[];
}

/** A YAML document as JSON. Throws SyntaxError, and 413 if it is larger than YAML may be. */
export function parseYamlText(body: Buffer, maxYamlBytes: number): ParsedYaml {
  const text = body.toString('utf8');
  // Most clients send JSON, as kubectl does, which is YAML too and far faster to read.
  if (isPlainJson(body)) return { value: parseJson(text), repeated: [] };
  if (body.length > maxYamlBytes) {
    const why = `${body.length} bytes of YAML: limit is ${maxYamlBytes}`;
    throw tooLarge(`Request entity too large: ${why}; send JSON, in which no object has a key twice`);
  }
  return parseYaml(text);
}

/** An object in JSON whose keys differ: only the parser of YAML has the words for all others. */
function isPlainJson(body: Buffer): boolean {
  if (!/^\s*\{/.test(body.toString('latin1', 0, 100))) return false;
  const json = new JsonText(body);
  return json.syntaxError() === undefined && json.duplicates.length === 0;
}

function parseYaml(text: string): ParsedYaml {
  const lines = new LineCounter();
  // The parser would compare each key with all others.
  const options = { logLevel: 'silent', intAsBigInt: true, uniqueKeys: false, lineCounter: lines } as const;
  const document = parseDocument(text, options);
  const [broken] = document.errors;
  if (broken?.message.includes('call stack')) throw new SyntaxError(`yaml: ${tooDeep}`, { cause: broken });
  if (broken) throw new SyntaxError(messageOf(broken), { cause: broken });
  try {
    // Aliases are bounded, so that a small body cannot grow without end.
    const value: unknown = document.toJS({ maxAliasCount: 100, reviver: jsonInteger }) ?? null;
    if (isTooDeep(value)) throw new SyntaxError(`yaml: ${tooDeep}`);
    return { value, repeated: repeatedKeys(document, lines) };
  } catch (error) {
    if (error instanceof RangeError) throw new SyntaxError(`yaml: ${tooDeep}`, { cause: error });
    if (!(error instanceof ReferenceError || error instanceof TypeError)) throw error;
    throw new SyntaxError(`yaml: ${error.message}`, { cause: error });
  }
}

/** What the API server says of keys that a map has twice. */
function repeatedKeys(document: Document, lines: LineCounter): string[] {
  const repeated: { at: number; key: string }[] = [];
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) repeated.push({ at: key.range?.[0] ?? 0, key: String(key.value) });
        seen.add(key.value);
      }
    },
  });
  return repeated
    .sort((one, other) => one.at - other.at)
    .map(({ at, key }) => `line ${lines.linePos(at).line}: key "${key}" already set in map`);
}

/** As in JSON: a bigint only where a number cannot hold the integer, and floating point beyond 64 bits. */
function jsonInteger(_key: unknown, value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  return Number.isSafeInteger(Number(value)) || BigInt.asIntN(64, value) !== value ? Number(value) : value;
}

const lineOf = ({ linePos }: YAMLError): number => linePos?.[0].line ?? 1;

const messageOf = (error: YAMLError): string => {
  const [message = ''] = error.message.split(' at line ', 1);
  return `yaml: line ${lineOf(error)}: ${message}`;
};
