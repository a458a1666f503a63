/** Kubernetes' dialect of JSONPath: of printer columns, feedback rules and kubectl. */

export { typeName } from './evaluate.ts';
export { compileJsonPath, type JsonPath } from './json-path.ts';
export { JsonPathBudgetError, JsonPathError } from './nodes.ts';
export { PathBudget } from './path-budget.ts';
