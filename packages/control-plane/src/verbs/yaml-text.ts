import { parseJson } from '@flotilla/schema';
import { parseDocument, type YAMLError } from 'yaml';
import { isTooDeep, tooDeep } from './depth.ts';
import { JsonText } from './json-text.ts';

interface ParsedYaml {
  readonly value: unknown;
  /** What the parser says of keys that are there twice. */
  readonly repeated: readonly string[];
}

/** A YAML document as JSON. Throws SyntaxError. */
export function parseYamlText(body: Buffer): ParsedYaml {
  const text = body.toString('utf8');
  // Most clients send JSON, which is YAML too and twenty times faster to read.
  if (isPlainJson(body)) return { value: parseJson(text), repeated: [] };
  return parseYaml(text);
}

const openBrace = 0x7b;

/** An object in JSON whose keys differ: only the parser of YAML has the words for all others. */
function isPlainJson(body: Buffer): boolean {
  if (body[0] !== openBrace) return false;
  const json = new JsonText(body);
  return json.syntaxError() === undefined && json.duplicates.length === 0;
}

function parseYaml(text: string): ParsedYaml {
  const document = parseDocument(text, { logLevel: 'silent', intAsBigInt: true });
  const isRepeated = ({ code }: YAMLError) => code === 'DUPLICATE_KEY';
  const broken = document.errors.find((error) => !isRepeated(error));
  if (broken?.message.includes('call stack')) throw new SyntaxError(`yaml: ${tooDeep}`, { cause: broken });
  if (broken) throw new SyntaxError(messageOf(broken), { cause: broken });
  const repeated = document.errors.filter(isRepeated).map((error) => {
    const [key = ''] = /^[^\s:]+/.exec(text.slice(error.pos[0])) ?? [];
    return `line ${lineOf(error)}: key "${key.replace(/^["']|["']$/g, '')}" already set in map`;
  });
  try {
    // Aliases are bounded, so that a small body cannot grow without end.
    const value: unknown = document.toJS({ maxAliasCount: 100, reviver: jsonInteger }) ?? null;
    if (isTooDeep(value)) throw new SyntaxError(`yaml: ${tooDeep}`);
    return { value, repeated };
  } catch (error) {
    if (error instanceof RangeError) throw new SyntaxError(`yaml: ${tooDeep}`, { cause: error });
    if (!(error instanceof ReferenceError || error instanceof TypeError)) throw error;
    throw new SyntaxError(`yaml: ${error.message}`, { cause: error });
  }
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
