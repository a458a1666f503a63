// CEL with the libraries and limits of Kubernetes. An own entry, since only few of those who need the types evaluate expressions.

export { type Cel, CelCompileError, CelEvaluationError, type CelOptions, type CelProgram, createCel } from './cel.ts';
export { CelCostError, CostMeter } from './cost.ts';
export type { CompiledRegex, RegexEngine } from './regex.ts';
export { celValue } from './values.ts';
