/** An expression of Go's syntax (RE2), ready to be used. */
export interface CompiledRegex {
  test(text: string): boolean;
  /** The texts of the first matches, at most as many as asked for. */
  find(text: string, most: number): string[];
}

/** Compiles regular expressions. Throws if the expression is none. */
export type RegexEngine = (pattern: string) => CompiledRegex;
