import { RE2JS } from 're2js';
import { checkPatternSize } from './pattern-size.ts';
import type { RegexBudget } from './regex-budget.ts';

/** A regular expression in the syntax of Go (RE2), ready to be used. It matches in time that is linear in the length of the text. */
export interface Regex {
  /** Instructions that it is compiled to. */
  readonly size: number;
  /** Whether the expression matches a part of the text. Throws `RegexBudgetError` if that could take longer than the budget has. */
  test(text: string, budget?: RegexBudget): boolean;
  /** The texts of the first matches, at most as many as asked for. `found` is called for each and may throw. */
  find(text: string, most: number, found?: () => void): string[];
}

/** Patterns that are kept: schemas and rules have few. */
const maxCached = 1000;

const compiled = new Map<string, Regex>();

/** Compiles an expression, or takes the one that was compiled before. Throws if the expression is not one of RE2, or too large. */
export function compileRegex(pattern: string): Regex {
  const known = compiled.get(pattern);
  if (known) return known;
  const made = new LinearRegex(pattern);
  if (compiled.size >= maxCached) compiled.clear();
  compiled.set(pattern, made);
  return made;
}

class LinearRegex implements Regex {
  readonly #expression: RE2JS;

  get size(): number {
    return this.#expression.programSize();
  }

  constructor(pattern: string) {
    checkPatternSize(pattern);
    this.#expression = RE2JS.compile(pattern);
  }

  test(text: string, budget?: RegexBudget): boolean {
    budget?.charge(text.length * this.size);
    return this.#expression.test(text);
  }

  find(text: string, most: number, found = () => {}): string[] {
    const texts: string[] = [];
    const matcher = this.#expression.matcher(text);
    while (texts.length < most && matcher.find()) {
      found();
      texts.push(matcher.group() ?? '');
    }
    return texts;
  }
}
