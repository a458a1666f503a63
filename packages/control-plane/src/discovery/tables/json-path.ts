import { compares, isComparison } from './json-path-compare.ts';

/** From the values found so far to those one step further. Throws where Kubernetes' JSONPath reports an error. */
type Step = (values: readonly unknown[]) => readonly unknown[];

/** Finds the values of a path; throws if the path does not fit the document. A missing field is no error, but finds nothing. */
export type JsonPath = (document: unknown) => readonly unknown[];

/** Reads a path in the JSONPath dialect of printer columns, as `.status.conditions[?(@.type=="Ready")].status`. Throws for what is none. */
export function parseJsonPath(path: string): JsonPath {
  const steps = new Parser(path).steps();
  return (document) => steps.reduce<readonly unknown[]>((values, step) => step(values), [document]);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const field =
  (name: string): Step =>
  (values) =>
    values.filter(isRecord).flatMap((value) => (Object.hasOwn(value, name) ? [value[name]] : []));

const children = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : [];

const wildcard: Step = (values) => values.flatMap(children);

const descend: Step = (values) =>
  values.flatMap((value) => {
    const below = children(value);
    return below.length === 0 ? [] : [value, ...descend(below)];
  });

const literal =
  (value: unknown): Step =>
  (values) =>
    values.map(() => value);

function elementsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new TypeError('only a list has elements');
}

const slice =
  (from: number | undefined, to: number | undefined | 'next', step: number): Step =>
  (values) =>
    values
      .filter((value) => value !== null)
      .flatMap((value) => {
        const list = elementsOf(value);
        const start = from === undefined ? 0 : from < 0 ? from + list.length : from;
        const end = to === 'next' ? start + 1 : to === undefined ? list.length : to < 0 ? to + list.length : to;
        if (start === end) return [];
        if (start < 0 || start >= list.length || end > list.length || start > end || step <= 0) {
          throw new RangeError('array index out of bounds');
        }
        return list.slice(start, end).filter((_, at) => at % step === 0);
      });

const union =
  (paths: readonly (readonly Step[])[]): Step =>
  (values) =>
    paths.flatMap((steps) => run(steps, values));

const run = (steps: readonly Step[], values: readonly unknown[]): readonly unknown[] =>
  steps.reduce((found, step) => step(found), values);

const having =
  (steps: readonly Step[]): Step =>
  (values) =>
    values.flatMap(elementsOf).filter((element) => {
      try {
        return run(steps, [element]).length > 0;
      } catch {
        return true; // Nothing is sorted out by a condition that does not fit, as on the real server.
      }
    });

/** A word that means nothing here is told when the path is followed, not when it is read. */
const unknownWord =
  (word: string): Step =>
  () => {
    throw new SyntaxError(`${word} is no step of a JSON path`);
  };

const where =
  (left: readonly Step[], operator: string, right: readonly Step[]): Step =>
  (values) =>
    values.flatMap(elementsOf).filter((element) => {
      const lefts = run(left, [element]);
      const rights = run(right, [element]);
      if (lefts.length > 1 || rights.length > 1) throw new TypeError('only one value can be compared at a time');
      return lefts.length === 1 && rights.length === 1 && compares(lefts[0], operator, rights[0]);
    });

/** Reads one path from left to right; each method takes what stands at the current place. */
class Parser {
  #rest: string;

  constructor(text: string) {
    this.#rest = text;
  }

  steps(): Step[] {
    const steps: Step[] = [];
    while (this.#rest !== '') steps.push(...this.#next());
    return steps;
  }

  #next(): Step[] {
    if (this.#take(/^[ @$]/)) return [];
    const filter = this.#take(/^\[\?\(((?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^"')])*)\)\]/);
    if (filter) return [this.#filter(filter[1] ?? '')];
    if (this.#take(/^\.\.(?=\w)/)) return [descend, this.#field(this.#take(/^(?:\\.|[^\s.,[\]$@{}\\])*/)?.[0] ?? '')];
    if (this.#take(/^\.\.(?!\.)/)) return [descend];
    const named = this.#take(/^\.((?:\\.|[^\s.,[\]$@{}\\])*)/);
    if (named) return [this.#field(named[1] ?? '')];
    const brackets = this.#take(/^\[([^\]\n]*)\]/);
    if (brackets) return this.#brackets(brackets[1] ?? '');
    const quoted = this.#take(/^"((?:\\.|[^"\\])*)"|^'((?:\\.|[^'\\])*)'/);
    if (quoted) return [literal((quoted[1] ?? quoted[2] ?? '').replace(/\\(.)/g, '$1'))];
    const number = this.#take(/^[+-]?\d+(\.\d*)?/);
    if (number) return [literal(Number(number[0]))];
    const word = this.#take(/^\w[^\s.,[\]$@{}]*/)?.[0];
    if (word !== undefined) return [/^(true|false)$/.test(word) ? literal(word === 'true') : unknownWord(word)];
    throw new SyntaxError(`unexpected ${JSON.stringify(this.#rest)} in a JSON path`);
  }

  #field(written: string): Step {
    return written === '*' ? wildcard : field(written.replaceAll('\\', ''));
  }

  #filter(condition: string): Step {
    const [, left = '', operator = '', right = ''] = /^([^!<>=]+)([!<>=]+)(.+)$/.exec(condition) ?? [];
    if (operator === '') return having(new Parser(condition).steps());
    if (!isComparison(operator)) throw new SyntaxError(`${operator} compares nothing`);
    return where(new Parser(left).steps(), operator, new Parser(right).steps());
  }

  #brackets(inner: string): Step[] {
    if (inner === '*') return [slice(undefined, undefined, 1)];
    const parts = inner.split(',');
    if (parts.length > 1) return [union(parts.map((part) => new Parser(`[${part.trim()}]`).steps()))];
    // A quoted key is read as a field is: its dots part it unless they are escaped.
    const key = /^'([^']*)'$/.exec(inner);
    if (key) return new Parser(`.${key[1]}`).steps();
    const range = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(inner);
    if (!range) throw new SyntaxError(`[${inner}] is no array index`);
    const [from, to, step] = range.slice(1).map((part) => (part ?? '').replace(':', ''));
    return [slice(numberOf(from), range[2] === undefined ? 'next' : numberOf(to), numberOf(step) ?? 1)];
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    const found = pattern.exec(this.#rest);
    if (!found) return undefined;
    this.#rest = this.#rest.slice(found[0].length);
    return found;
  }
}

const numberOf = (text: string | undefined): number | undefined => (text ? Number(text) : undefined);
