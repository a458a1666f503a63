import { Evaluation, type Rows } from './evaluate.ts';
import { JsonPathError } from './nodes.ts';
import { parseTemplate } from './parse.ts';
import { PathBudget } from './path-budget.ts';

/** A parsed path. */
export interface JsonPath {
  /**
   * What the path finds, a row for each of its actions; missing keys are not an error. Throws `JsonPathError`. Give the paths that are
   * evaluated for one object one budget.
   */
  find(value: unknown, budget?: PathBudget): Rows;
}

/** Letters of a path. Kubernetes has no limit; a path that names every field of an object is shorter. */
const maxLength = 4096;

/** Parses a path of Kubernetes' dialect that is written without its outer braces, as `.status.phase`. Throws `JsonPathError`. */
export function compileJsonPath(path: string): JsonPath {
  if (path.length > maxLength)
    throw new JsonPathError(`the path has ${path.length} characters, at most ${maxLength} are evaluated`);
  const actions = parseTemplate(`{${path}}`);
  return { find: (value, budget = new PathBudget()) => new Evaluation(actions, budget).run(value) };
}
