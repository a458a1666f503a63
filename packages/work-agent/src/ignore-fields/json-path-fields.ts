import { compileJsonPath, JsonPathBudgetError, JsonPathError, type PathBudget } from '@flotilla/rules/jsonpath';
import { isRecord } from '@flotilla/schema';

import { IgnoreFieldsError } from './ignore-fields-error.ts';

/** Values that could be visited in the time that parsing one letter takes. */
const valuesPerLetter = 4;

/**
 * Removes the last part of a path from every map that the rest of the path finds, in place. A path that cannot be read or does not
 * fit the object removes nothing, as in OCM; so does one that ends in a filter, since elements of lists cannot be left to others. Throws `IgnoreFieldsError` when the budget is used up.
 */
export function removeJsonPath(object: Record<string, unknown>, path: string, budget: PathBudget): void {
  const dot = path.lastIndexOf('.');
  const key = path.slice(dot + 1);
  const rest = dot < 0 ? path : path.slice(0, dot);
  try {
    budget.charge(path.length * valuesPerLetter);
    for (const row of compileJsonPath(rest).find(object, budget)) {
      for (const found of row) if (isRecord(found)) delete found[key];
    }
  } catch (error) {
    if (error instanceof JsonPathBudgetError) {
      throw new IgnoreFieldsError(`JSON path error in '${path}': ${error.message}`, { cause: error });
    }
    if (!(error instanceof JsonPathError)) throw error;
  }
}
