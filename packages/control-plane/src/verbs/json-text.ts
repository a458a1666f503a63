import { maxDepth, tooDeep } from './depth.ts';
import { FirstTexts } from './first-texts.ts';

/**
 * Reads the text of a JSON document as Go does, for what `JSON.parse` does not report: where and how it is broken, in Go's words, and
 * which fields are there twice.
 */
export class JsonText {
  readonly #bytes: Buffer;
  #at = 0;
  readonly #onField: ((path: () => string, isRepeated: boolean) => void) | undefined;
  readonly #duplicates = new FirstTexts();

  /** `onField` is called for each field in the order of the text. A path is as long as all keys on its way: it is made when it is asked for. */
  constructor(bytes: Buffer, onField?: (path: () => string, isRepeated: boolean) => void) {
    this.#bytes = bytes;
    this.#onField = onField;
  }

  /** Paths of the first fields that an object has twice: `spec.containers[0].name`. */
  get duplicates(): readonly string[] {
    return this.#duplicates.texts;
  }

  /** Why this is not JSON; undefined if it is. */
  syntaxError(): string | undefined {
    try {
      this.#document();
      return undefined;
    } catch (error) {
      if (error instanceof SyntaxError) return error.message;
      throw error;
    }
  }

  /** Objects and lists are kept on a stack of their own, so that no depth of nesting overflows the real one. */
  #document(): void {
    const stack: Level[] = [];
    for (;;) {
      this.#skipSpace();
      const opened = this.#value();
      if (opened) {
        if (stack.push(opened) > maxDepth) this.#fail(tooDeep, this.#at - 1);
        this.#skipSpace();
        if (this.#peek() !== opened.end) {
          this.#beginItem(opened, stack);
          continue;
        }
      } else if (stack.length === 0) break;
      if (!opened && this.#nextItem(stack)) continue;
      // An empty object or list, or the end of one.
      this.#at++;
      stack.pop();
      while (stack.length > 0 && !this.#nextItem(stack)) {
        this.#at++;
        stack.pop();
      }
      if (stack.length === 0) break;
    }
    this.#skipSpace();
    if (this.#at < this.#bytes.length) this.#fail('after top-level value');
  }

  /** After a value: true if another item of the innermost object or list follows, false if it ends. */
  #nextItem(stack: Level[]): boolean {
    const level = stack.at(-1);
    if (!level) return false;
    this.#skipSpace();
    const byte = this.#need();
    if (byte === comma) {
      this.#at++;
      this.#skipSpace();
      this.#beginItem(level, stack);
      return true;
    }
    if (byte === level.end) return false;
    return this.#fail(level.keys ? 'after object key:value pair' : 'after array element');
  }

  #beginItem(level: Level, stack: readonly Level[]): void {
    if (!level.keys) {
      level.index++;
      return;
    }
    if (this.#need() !== quote) this.#fail('looking for beginning of object key string');
    const start = this.#at;
    this.#string();
    const key: string = JSON.parse(this.#bytes.toString('utf8', start, this.#at));
    level.key = key;
    const path = () => pathOf(stack);
    if (level.keys.has(key)) this.#duplicates.add(path);
    this.#onField?.(path, level.keys.has(key));
    level.keys.add(key);
    this.#skipSpace();
    if (this.#need() !== colon) this.#fail('after object key');
    this.#at++;
  }

  /** Passes a scalar; answers with the level that an opening bracket opens. */
  #value(): Level | undefined {
    const byte = this.#need();
    if (byte === openBrace) {
      this.#at++;
      return { end: closeBrace, keys: new Set(), key: '', index: -1 };
    }
    if (byte === openBracket) {
      this.#at++;
      return { end: closeBracket, key: '', index: -1 };
    }
    if (byte === quote) this.#string();
    else if (byte === minus || isDigit(byte)) this.#number();
    else {
      const literal = literals.find((text) => text.charCodeAt(0) === byte);
      if (!literal) this.#fail('looking for beginning of value');
      else this.#literal(literal);
    }
    return undefined;
  }

  #literal(text: string): void {
    for (let index = 1; index < text.length; index++) {
      this.#at++;
      if (this.#need() !== text.charCodeAt(index))
        this.#fail(`in literal ${text} (expecting ${quoted(text.charCodeAt(index))})`);
    }
    this.#at++;
  }

  #string(): void {
    this.#at++;
    for (;;) {
      const byte = this.#need();
      if (byte === quote) break;
      if (byte < 0x20) this.#fail('in string literal');
      if (byte === backslash) this.#escape();
      this.#at++;
    }
    this.#at++;
  }

  #escape(): void {
    this.#at++;
    const byte = this.#need();
    if (byte === 0x75) {
      for (let digit = 0; digit < 4; digit++) {
        this.#at++;
        if (!/[0-9a-fA-F]/.test(String.fromCharCode(this.#need()))) this.#fail('in \\u hexadecimal character escape');
      }
    } else if (!'bfnrt\\/"'.includes(String.fromCharCode(byte))) this.#fail('in string escape code');
  }

  #number(): void {
    if (this.#peek() === minus) {
      this.#at++;
      if (!isDigit(this.#need())) this.#fail('in numeric literal');
    }
    if (this.#peek() === zero) this.#at++;
    else this.#digits();
    if (this.#peek() === dot) {
      this.#at++;
      if (!isDigit(this.#need())) this.#fail('after decimal point in numeric literal');
      this.#digits();
    }
    if (((this.#peek() ?? 0) | 0x20) === 0x65) {
      this.#at++;
      const sign = this.#need();
      if (sign === plus || sign === minus) this.#at++;
      if (!isDigit(this.#need())) this.#fail('in exponent of numeric literal');
      this.#digits();
    }
  }

  #digits(): void {
    while (isDigit(this.#peek())) this.#at++;
  }

  #skipSpace(): void {
    for (let byte = this.#peek(); byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; ) {
      byte = this.#bytes[++this.#at];
    }
  }

  #peek(): number | undefined {
    return this.#bytes[this.#at];
  }

  #need(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new SyntaxError('unexpected end of JSON input');
    return byte;
  }

  #fail(context: string, at = this.#at): never {
    const byte = this.#bytes[at];
    if (byte === undefined) throw new SyntaxError('unexpected end of JSON input');
    throw new SyntaxError(`invalid character ${quoted(byte)} ${context}`);
  }
}

/** An object or list that is being read. */
interface Level {
  readonly end: number;
  /** Unset for a list. */
  readonly keys?: Set<string>;
  key: string;
  index: number;
}

const pathOf = (stack: readonly Level[]): string =>
  stack.reduce((path, { keys, key, index }) => {
    if (!keys) return `${path}[${index}]`;
    return path === '' ? key : `${path}.${key}`;
  }, '');

const [quote, backslash, comma, colon, minus, plus, dot, zero] = [0x22, 0x5c, 0x2c, 0x3a, 0x2d, 0x2b, 0x2e, 0x30];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
const literals = ['true', 'false', 'null'];

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

/** A byte as Go quotes it: what is not printable is escaped. */
function quoted(byte: number): string {
  if (byte === 0x27) return `'\\''`;
  if (byte === 0x22) return `'"'`;
  const text = String.fromCharCode(byte);
  const named: Readonly<Record<string, string>> = {
    '\n': '\\n',
    '\r': '\\r',
    '\t': '\\t',
    '\\': '\\\\',
    '\b': '\\b',
    '\f': '\\f',
    '\v': '\\v',
    '\x07': '\\a',
  };
  if (byte < 0x20 || byte === 0x7f) return `'${named[text] ?? `\\x${byte.toString(16).padStart(2, '0')}`}'`;
  if (byte >= 0x80 && byte < 0xa1) return `'\\u00${byte.toString(16)}'`;
  return `'${named[text] ?? text}'`;
}
