import { isRecord } from '../values/json.ts';
import { printedForm } from '../values/printed-form.ts';
import { compare, type Operand } from './compare.ts';
import { type Action, JsonPathBudgetError, JsonPathError, type PathNode } from './nodes.ts';
import type { PathBudget } from './path-budget.ts';
import { boundsOf } from './slice.ts';

/** Values found by each action, in order. */
export type Rows = unknown[][];

/** Evaluates the actions of a template on one value. What a step would find is charged before it is collected. */
export class Evaluation {
  readonly #actions: readonly Action[];
  readonly #budget: PathBudget;

  constructor(actions: readonly Action[], budget: PathBudget) {
    this.#actions = actions;
    this.#budget = budget;
  }

  run(value: unknown): Rows {
    return this.#block(0, value, false).rows;
  }

  /** Up to the `end` of the range that it is in, or to the end of the template. */
  #block(from: number, value: unknown, inRange: boolean): { rows: Rows; next: number } {
    const rows: Rows = [];
    let at = from;
    while (at < this.#actions.length) {
      this.#budget.charge(1);
      const action = this.#actions[at] ?? [];
      const found = this.#walk([value], action);
      at += 1;
      if (action.some((node) => isKeyword(node, 'end'))) {
        if (!inRange) throw new JsonPathError('not in range, nothing to end');
        return { rows, next: at };
      }
      if (action.some((node) => isKeyword(node, 'range'))) {
        // Without results the block is still walked, with nothing, to find its end.
        const items = found.length > 0 ? found : [null];
        let next = at;
        for (const item of items) {
          const block = this.#block(at, item, true);
          next = block.next;
          if (found.length === 0) continue;
          // Each range around this one copies its rows again.
          this.#budget.charge(block.rows.length);
          for (const row of block.rows) rows.push(row);
        }
        at = next;
      } else rows.push(found);
    }
    return { rows, next: at };
  }

  #walk(input: readonly unknown[], nodes: readonly PathNode[]): unknown[] {
    this.#budget.charge(input.length);
    let values = [...input];
    for (const node of nodes) values = this.#step(values, node);
    return values;
  }

  #step(values: readonly unknown[], node: PathNode): unknown[] {
    this.#budget.charge(values.length);
    switch (node.type) {
      case 'literal':
        return node.kind === 'string' ? [node.value] : values.map(() => node.value);
      case 'field':
        return values.flatMap((value) =>
          isRecord(value) && Object.hasOwn(value, node.name) ? [value[node.name]] : [],
        );
      case 'slice':
        return this.#collected(values, (value) => this.#sliced(value, node));
      case 'wildcard':
        return this.#collected(values, (value) => this.#children(value));
      case 'descent':
        return this.#descendants(values);
      case 'union':
        return this.#collected(node.branches, (branch) => this.#walk(values, branch));
      case 'filter':
        return this.#collected(values, (value) => this.#filtered(value, node));
      case 'keyword':
        if (node.name !== 'range' && node.name !== 'end') {
          throw new JsonPathError(`unrecognized identifier ${node.name}`);
        }
        return [...values];
    }
  }

  /** What each part finds, in one list; what the parts find was charged. */
  #collected<T>(parts: readonly T[], find: (part: T) => readonly unknown[]): unknown[] {
    const found: unknown[] = [];
    for (const part of parts) for (const value of find(part)) found.push(value);
    return found;
  }

  #sliced(value: unknown, { slice }: Extract<PathNode, { type: 'slice' }>): readonly unknown[] {
    if (value === null || value === undefined) return [];
    if (!Array.isArray(value)) throw new JsonPathError(`${typeName(value)} is not array or slice`);
    const { start, end, step } = boundsOf(value, slice);
    this.#budget.charge(end - start);
    const items: readonly unknown[] = value.slice(start, end);
    return step === 1 ? items : items.filter((_, at) => at % step === 0);
  }

  /** In the order of their keys: Go has none for maps, and a reported value should not change by itself. */
  #children(value: unknown): unknown[] {
    if (Array.isArray(value)) {
      this.#budget.charge(value.length);
      return [...value];
    }
    if (!isRecord(value)) return [];
    const keys = Object.keys(value);
    this.#budget.charge(keys.length);
    return keys.sort().map((key) => value[key]);
  }

  /** Every value that has something inside, each before what it holds. Texts hold characters, so that they count, too. */
  #descendants(values: readonly unknown[]): unknown[] {
    const found: unknown[] = [];
    const pending = values.toReversed();
    while (pending.length > 0) {
      const value = pending.pop();
      const inside = this.#children(value);
      if (inside.length === 0 && (typeof value !== 'string' || value === '')) continue;
      found.push(value);
      for (const child of inside.reverse()) pending.push(child);
    }
    return found;
  }

  #filtered(value: unknown, { left, right, operator }: Extract<PathNode, { type: 'filter' }>): unknown[] {
    if (!Array.isArray(value)) {
      throw new JsonPathError(`${excerpt(value)} is not array or slice and cannot be filtered`);
    }
    this.#budget.charge(value.length);
    return value.filter((item) => {
      if (operator === 'exists') return this.#exists(item, left);
      const one = this.#operand(item, left);
      const other = one && this.#operand(item, right);
      if (one === undefined || other === undefined) return false;
      this.#budget.charge((lengthOf(one) + lengthOf(other)) / lettersPerValue);
      return compare(one, operator, other);
    });
  }

  /** Whether a path finds anything in an item that it need not fit. */
  #exists(item: unknown, path: readonly PathNode[]): boolean {
    try {
      return this.#walk([item], path).length > 0;
    } catch (error) {
      // Kubernetes takes what was found before the step that failed, which is the item itself at least.
      if (error instanceof JsonPathError && !(error instanceof JsonPathBudgetError)) return true;
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

/** Letters of two texts whose comparison costs as much as visiting a value. */
const lettersPerValue = 16;

const lengthOf = ({ value }: Operand): number => (typeof value === 'string' ? value.length : 0);

const isKeyword = (node: PathNode, name: string): boolean => node.type === 'keyword' && node.name === name;

/** As Go calls the type of a value of JSON. */
export function typeName(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (isRecord(value)) return 'map[string]interface {}';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** A condition has room for a sentence, not for an object. */
function excerpt(value: unknown): string {
  const text = printedForm(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
