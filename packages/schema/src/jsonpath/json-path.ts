import { Evaluation, type Rows } from './evaluate.ts';
import { parseTemplate } from './parse.ts';

export { JsonPathError } from './nodes.ts';

/** A parsed path. */
export interface JsonPath {
  /** What the path finds, a row for each of its actions; missing keys are not an error. Throws `JsonPathError`. */
  find(value: unknown): Rows;
}

/** Parses a path of Kubernetes' dialect that is written without its outer braces, as `.status.phase`. Throws `JsonPathError`. */
export function compileJsonPath(path: string): JsonPath {
  const actions = parseTemplate(`{${path}}`);
  return { find: (value) => new Evaluation(actions).run(value) };
}
