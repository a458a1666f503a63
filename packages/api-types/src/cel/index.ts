// CEL with the libraries and limits of Kubernetes. An own entry, since only few of those who need the types evaluate expressions.

export { type Cel, CelCompileError, CelEvaluationError, type CelOptions, type CelProgram, createCel } from './cel.ts';
export { CelCostError, CostBudget, type CostLimits, CostMeter } from './cost.ts';
export { type CompiledRegex, type RegexEngine, translatedRegex } from './regex.ts';
export { celValue } from './values.ts';
