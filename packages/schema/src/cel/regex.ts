import { compileGoRegExp } from '../values/go-regexp.ts';

/** An expression of Go's syntax (RE2), ready to be used. */
export interface CompiledRegex {
  test(text: string): boolean;
  /** The texts of the first matches, at most as many as asked for. */
  find(text: string, most: number): string[];
}

/** Compiles regular expressions. Throws if the expression is none. */
export type RegexEngine = (pattern: string) => CompiledRegex;

/**
 * Go's syntax on JavaScript's engine, which is at hand but may take long for a bad pattern. For expressions of those who may define
 * kinds and webhooks, whose schemas have such patterns anyway; not for those of other users.
 */
export const translatedRegex: RegexEngine = (pattern) => {
  const expression = compileGoRegExp(pattern);
  return {
    test: (text) => expression.test(text),
    find: (text, most) => {
      const all = text.matchAll(new RegExp(expression, `${expression.flags}g`));
      return [...all].slice(0, most).map(([whole]) => whole);
    },
  };
};
