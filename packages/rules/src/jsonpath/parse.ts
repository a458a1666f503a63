import { type Action, JsonPathError, type PathNode } from './nodes.ts';
import { parseSlice } from './slice.ts';
import { unquote } from './unquote.ts';

/** Where an identifier or a field name ends. */
const terminators = new Set(['', ' ', '\t', '\r', '\n', '.', ',', '[', ']', '$', '@', '{', '}']);
const isWord = (letter: string): boolean => /^[\p{L}\p{Nd}_]$/u.test(letter);
const isDigit = (letter: string): boolean => /^\p{Nd}$/u.test(letter);

/** Brackets within brackets. No path has more than a few. */
const maxDepth = 32;

/** Parses a template of Kubernetes' JSONPath: texts, and actions in braces. */
export function parseTemplate(template: string, depth = 0): readonly Action[] {
  if (depth > maxDepth) throw new JsonPathError(`brackets are nested more than ${maxDepth} times`);
  const actions: Action[] = [];
  let at = 0;
  while (at < template.length) {
    const open = template.indexOf('{', at);
    const text = template.slice(at, open < 0 ? template.length : open);
    if (text !== '') actions.push([{ type: 'literal', kind: 'string', value: text }]);
    if (open < 0) break;
    const parser = new ActionParser(template, open + 1, depth);
    actions.push(parser.parse());
    at = parser.at;
  }
  return actions;
}

/** Reads one action from after its opening brace up to its closing one. */
class ActionParser {
  at: number;
  readonly #input: string;
  readonly #depth: number;
  readonly #nodes: PathNode[] = [];

  constructor(input: string, at: number, depth: number) {
    this.#input = input;
    this.at = at;
    this.#depth = depth;
  }

  parse(): readonly PathNode[] {
    for (;;) {
      if (this.#skip('}')) return this.#nodes;
      if (this.#skip('[?(')) this.#filter();
      else if (this.#skip('..')) this.#descent();
      else this.#step();
    }
  }

  #inner(text: string): readonly PathNode[] {
    return parseTemplate(`{${text}}`, this.#depth + 1)[0] ?? [];
  }

  #step(): void {
    const letter = this.#peek();
    if (letter === '' || letter === '\r' || letter === '\n') throw new JsonPathError('unclosed action');
    if (letter === '"' || letter === "'") this.#quoted(letter);
    else if (letter === '+' || letter === '-' || isDigit(letter)) this.#number();
    else if (isWord(letter)) this.#word();
    else {
      this.at += letter.length;
      if (letter === '[') this.#brackets();
      else if (letter === '.') this.#field();
      // The root and the current value are where a path is anyway.
      else if (letter !== ' ' && letter !== '@' && letter !== '$') {
        throw new JsonPathError(`unrecognized character in action: ${shown(letter)}`);
      }
    }
  }

  #peek(): string {
    const point = this.#input.codePointAt(this.at);
    return point === undefined ? '' : String.fromCodePoint(point);
  }

  #skip(prefix: string): boolean {
    if (!this.#input.startsWith(prefix, this.at)) return false;
    this.at += prefix.length;
    return true;
  }

  /** What comes up to the next terminator, which a backslash keeps from being one. */
  #untilTerminator(escapes: boolean): string {
    const start = this.at;
    for (let letter = this.#peek(); !terminators.has(letter); letter = this.#peek()) {
      this.at += letter.length;
      if (escapes && letter === '\\') this.at += this.#peek().length;
    }
    return this.#input.slice(start, this.at);
  }

  #field(): void {
    const name = this.#untilTerminator(true);
    this.#nodes.push(name === '*' ? { type: 'wildcard' } : { type: 'field', name: name.replaceAll('\\', '') });
  }

  #descent(): void {
    if (this.#nodes.at(-1)?.type === 'descent') throw new JsonPathError('invalid multiple recursive descent');
    this.#nodes.push({ type: 'descent' });
    if (isWord(this.#peek())) this.#field();
  }

  #word(): void {
    const name = this.#untilTerminator(false);
    if (name === 'true' || name === 'false') {
      this.#nodes.push({ type: 'literal', kind: 'bool', value: name === 'true' });
    } else this.#nodes.push({ type: 'keyword', name });
  }

  #number(): void {
    const start = this.at;
    if (this.#peek() === '+' || this.#peek() === '-') this.at += 1;
    for (let letter = this.#peek(); letter === '.' || isDigit(letter); letter = this.#peek()) this.at += letter.length;
    const text = this.#input.slice(start, this.at);
    if (/^[+-]?[0-9]+$/.test(text) && Math.abs(Number(text)) <= 2 ** 63) {
      this.#nodes.push({ type: 'literal', kind: 'int', value: Number(text) });
    } else if (/^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)$/.test(text)) {
      this.#nodes.push({ type: 'literal', kind: 'float', value: Number(text) });
    } else throw new JsonPathError(`cannot parse number ${text}`);
  }

  #quoted(quote: string): void {
    const start = this.at;
    this.at += 1;
    for (;;) {
      const letter = this.#peek();
      if (letter === '' || letter === '\n') throw new JsonPathError('unterminated quoted string');
      this.at += letter.length;
      if (letter === quote && this.#input[this.at - 2] !== '\\') break;
    }
    this.#nodes.push({ type: 'literal', kind: 'string', value: unquote(this.#input.slice(start, this.at)) });
  }

  #brackets(): void {
    const end = this.#input.indexOf(']', this.at);
    const text = end < 0 ? '\n' : this.#input.slice(this.at, end);
    if (text.includes('\n')) throw new JsonPathError('unterminated array');
    this.at = end + 1;
    const parts = text.split(',');
    if (parts.length > 1) {
      const branches = parts.map((part) => this.#inner(`[${part.replace(/^ +| +$/g, '')}]`));
      this.#nodes.push({ type: 'union', branches });
      return;
    }
    const key = /^'([^']*)'$/.exec(text)?.[1];
    if (key !== undefined) this.#nodes.push(...this.#inner(`.${key}`));
    else this.#nodes.push({ type: 'slice', slice: parseSlice(text) });
  }

  #filter(): void {
    const text = this.#filterText();
    const [, left, operator, right] = /^([^!<>=]+)([!<>=]+)(.+?)$/.exec(text) ?? [];
    if (left === undefined || operator === undefined || right === undefined) {
      this.#nodes.push({ type: 'filter', left: this.#inner(text), right: [], operator: 'exists' });
    } else {
      this.#nodes.push({ type: 'filter', left: this.#inner(left), right: this.#inner(right), operator });
    }
  }

  /** Up to the parenthesis that is not within the one quoted text that a filter may hold. */
  #filterText(): string {
    const start = this.at;
    let quote: string | undefined;
    let closed = false;
    for (;;) {
      const letter = this.#peek();
      if (letter === '' || letter === '\n') throw new JsonPathError('unterminated filter');
      this.at += letter.length;
      if (letter === '"' || letter === "'") {
        if (quote === undefined) quote = letter;
        else if (letter === quote && this.#input[this.at - 2] !== '\\') closed = true;
      } else if (letter === ')' && (quote !== undefined) === closed) break;
    }
    const text = this.#input.slice(start, this.at - 1);
    if (!this.#skip(']')) throw new JsonPathError('unclosed array expect ]');
    return text;
  }
}

/** As Go shows a character: `U+0023 '#'`. */
function shown(letter: string): string {
  const code = (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return /\p{C}/u.test(letter) ? `U+${code}` : `U+${code} '${letter}'`;
}
