import { RE2JS } from 're2js';
import { type PatternSize, patternSize } from './pattern-size.ts';
import type { RegexBudget } from './regex-budget.ts';
import { RegexCache } from './regex-cache.ts';

/** A regular expression in the syntax of Go (RE2), ready to be used. It matches in time that is linear in the length of the text. */
export interface Regex {
  /** Instructions that it is compiled to. */
  readonly size: number;
  /** Steps that matching one character may take: those of the instructions, and what a state of them takes to be made. */
  readonly stepsPerCharacter: number;
  /** Whether the expression matches a part of the text. Throws `RegexBudgetError` if that could take longer than the budget has. */
  test(text: string, budget?: RegexBudget): boolean;
  /**
   * The texts of the first matches, at most as many as asked for. `charge` is called before each match is searched for, with the
   * number of characters that are searched, and may throw: a search may read the rest of the text although it matches little of it.
   */
  find(text: string, most: number, charge?: (characters: number) => void): string[];
}

/** Ranges that a state takes as long to be made with as one instruction. */
const rangesPerStep = 8;

/** Instructions of patterns that keep the memory of their simulation from one use to the next. */
const maxPooledSize = 500;

const compiled = new RegexCache<Regex>();

/**
 * Compiles an expression, or takes the one that was compiled before. Throws if the expression is not one of RE2, or too large.
 * `charge` is called before it is compiled, and may throw.
 */
export function compileRegex(pattern: string, charge?: (size: PatternSize) => void): Regex {
  const known = compiled.get(pattern);
  if (known) return known;
  const size = patternSize(pattern);
  charge?.(size);
  const made = new LinearRegex(pattern, size);
  compiled.set(pattern, made, size);
  return made;
}

class LinearRegex implements Regex {
  readonly #expression: RE2JS;
  readonly stepsPerCharacter: number;
  #bytesOfStates = 0;

  get size(): number {
    return this.#expression.programSize();
  }

  constructor(pattern: string, { namedRanges }: PatternSize) {
    this.#expression = RE2JS.compile(pattern);
    this.stepsPerCharacter = this.size + namedRanges / rangesPerStep;
  }

  test(text: string, budget?: RegexBudget): boolean {
    budget?.charge(text.length * this.size);
    const matches = this.#expression.test(text);
    this.#recordStates();
    return matches;
  }

  find(text: string, most: number, charge = (_characters: number): void => {}): string[] {
    const texts: string[] = [];
    const matcher = this.#expression.matcher(text);
    let at = 0;
    try {
      while (texts.length < most) {
        charge(text.length - at);
        if (!matcher.find()) break;
        texts.push(matcher.group() ?? '');
        at = matcher.end();
      }
    } finally {
      this.#recordStates();
    }
    return texts;
  }

  /** Matching remembers states, up to 8 MiB for a pattern. */
  #recordStates(): void {
    if (this.size > maxPooledSize) this.#expression.reset();
    const states = this.#expression.re2().lazyDFA;
    const bytes = states ? states.maxMem - states.memBudget : 0;
    if (bytes === this.#bytesOfStates) return;
    this.#bytesOfStates = bytes;
    compiled.recordStates(this.#expression.pattern(), bytes);
  }
}
