/** Regular expressions in the syntax of Go (RE2). */

export type { PatternSize } from './pattern-size.ts';
export { compileRegex, type Regex } from './regex.ts';
export { RegexBudget, RegexBudgetError } from './regex-budget.ts';
