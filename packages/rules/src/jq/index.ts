/** jq expressions that select fields to leave out. */

export { createJqEngine, JqBudget, type JqEngine, JqError } from './jq.ts';
export { isReduction } from './reduction.ts';
