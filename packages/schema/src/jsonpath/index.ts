/** Kubernetes' dialect of JSONPath: of printer columns, feedback rules and kubectl. */

export { typeName } from './evaluate.ts';
export { compileJsonPath, type JsonPath, JsonPathError } from './json-path.ts';
