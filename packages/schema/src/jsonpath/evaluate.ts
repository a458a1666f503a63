import { isRecord } from '../values/json.ts';
import { printedForm } from '../values/printed-form.ts';
import { compare, type Operand } from './compare.ts';
import { type Action, JsonPathError, type PathNode } from './nodes.ts';
import { sliceOf } from './slice.ts';

/** How many values one evaluation may visit. Repeated descents multiply, and an object must not stop an agent. */
const mostVisited = 1_000_000;

/** Values found by each action, in order. */
export type Rows = unknown[][];

/** Evaluates the actions of a template on one value. */
export class Evaluation {
  readonly #actions: readonly Action[];
  #visited = 0;

  constructor(actions: readonly Action[]) {
    this.#actions = actions;
  }

  run(value: unknown): Rows {
    return this.#block(0, value, false).rows;
  }

  /** Up to the `end` of the range that it is in, or to the end of the template. */
  #block(from: number, value: unknown, inRange: boolean): { rows: Rows; next: number } {
    const rows: Rows = [];
    let at = from;
    while (at < this.#actions.length) {
      const action = this.#actions[at] ?? [];
      const found = this.#walk([value], action);
      at += 1;
      if (action.some((node) => isKeyword(node, 'end'))) {
        if (!inRange) throw new JsonPathError('not in range, nothing to end');
        return { rows, next: at };
      }
      if (action.some((node) => isKeyword(node, 'range'))) {
        // Without results the block is still walked, with nothing, to find its end.
        const blocks = (found.length > 0 ? found : [null]).map((item) => this.#block(at, item, true));
        if (found.length > 0) for (const block of blocks) rows.push(...block.rows);
        at = blocks[0]?.next ?? at;
      } else rows.push(found);
    }
    return { rows, next: at };
  }

  #walk(input: readonly unknown[], nodes: readonly PathNode[]): unknown[] {
    return nodes.reduce<unknown[]>((values, node) => this.#counted(this.#step(values, node)), [...input]);
  }

  #counted(values: unknown[]): unknown[] {
    this.#visited += values.length;
    if (this.#visited > mostVisited) throw new JsonPathError(`the path visits more than ${mostVisited} values`);
    return values;
  }

  #step(values: readonly unknown[], node: PathNode): unknown[] {
    switch (node.type) {
      case 'literal':
        return node.kind === 'string' ? [node.value] : values.map(() => node.value);
      case 'field':
        return values.flatMap((value) =>
          isRecord(value) && Object.hasOwn(value, node.name) ? [value[node.name]] : [],
        );
      case 'slice':
        return values.flatMap((value) => {
          if (value === null || value === undefined) return [];
          if (Array.isArray(value)) return sliceOf(value, node.slice);
          throw new JsonPathError(`${typeName(value)} is not array or slice`);
        });
      case 'wildcard':
        return values.flatMap(children);
      case 'descent':
        return this.#descendants(values);
      case 'union':
        return node.branches.flatMap((branch) => this.#walk(values, branch));
      case 'filter':
        return values.flatMap((value) => this.#filtered(value, node));
      case 'keyword':
        if (node.name !== 'range' && node.name !== 'end') {
          throw new JsonPathError(`unrecognized identifier ${node.name}`);
        }
        return [...values];
    }
  }

  /** Every value that has something inside, each before what it holds. Texts hold characters, so that they count, too. */
  #descendants(values: readonly unknown[]): unknown[] {
    const found: unknown[] = [];
    const pending = values.toReversed();
    while (pending.length > 0) {
      const value = pending.pop();
      const inside = children(value);
      if (inside.length === 0 && (typeof value !== 'string' || value === '')) continue;
      found.push(value);
      this.#counted(inside);
      for (const child of inside.reverse()) pending.push(child);
    }
    return found;
  }

  #filtered(value: unknown, { left, right, operator }: Extract<PathNode, { type: 'filter' }>): unknown[] {
    if (!Array.isArray(value)) {
      throw new JsonPathError(`${excerpt(printedForm(value))} is not array or slice and cannot be filtered`);
    }
    return value.filter((item) => {
      if (operator === 'exists') return this.#exists(item, left);
      const one = this.#operand(item, left);
      const other = one && this.#operand(item, right);
      return one !== undefined && other !== undefined && compare(one, operator, other);
    });
  }

  /** Whether a path finds anything in an item that it need not fit. */
  #exists(item: unknown, path: readonly PathNode[]): boolean {
    try {
      return this.#walk([item], path).length > 0;
    } catch (error) {
      // Kubernetes takes what was found before the step that failed, which is the item itself at least.
      if (error instanceof JsonPathError && this.#visited <= mostVisited) return true;
      throw error;
    }
  }

  #operand(item: unknown, path: readonly PathNode[]): Operand | undefined {
    const found = this.#walk([item], path);
    if (found.length === 0) return undefined;
    if (found.length > 1) throw new JsonPathError('can only compare one element at a time');
    const last = path.at(-1);
    return { value: found[0], ...(last?.type === 'literal' && { kind: last.kind }) };
  }
}

const isKeyword = (node: PathNode, name: string): boolean => node.type === 'keyword' && node.name === name;

/** In the order of their keys: Go has none for maps, and a reported value should not change by itself. */
function children(value: unknown): unknown[] {
  if (Array.isArray(value)) return [...value];
  if (!isRecord(value)) return [];
  return Object.keys(value)
    .sort()
    .map((key) => value[key]);
}

/** As Go calls the type of a value of JSON. */
export function typeName(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (isRecord(value)) return 'map[string]interface {}';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** A condition has room for a sentence, not for an object. */
const excerpt = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);
