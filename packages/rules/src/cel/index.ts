// CEL with the libraries and limits of Kubernetes. An own entry, since only few of those who need the types evaluate expressions.

export {
  type Cel,
  CelEvaluationError,
  type CelObjectType,
  type CelOptions,
  type CelProgram,
  createCel,
} from './cel.ts';
export { CelCompileError, celGoType } from './compile-error.ts';
export { CelCostError, CostBudget, type CostLimits, CostMeter } from './cost.ts';
export { failure as celFailure, type Library as CelLibrary } from './libraries/library.ts';
export type { Scores, ScoresOf } from './libraries/ocm.ts';
export { celOptional, celValue } from './values.ts';
