import { JsonPathBudgetError } from './nodes.ts';

/** Values that the paths of one object may visit together: some milliseconds, and as many as an object of 1 MB has. */
const maxVisited = 250_000;

/** What is left for the paths that are evaluated together. */
export class PathBudget {
  /** Values that were visited. */
  spent = 0;
  readonly limit: number;

  constructor(limit = maxVisited) {
    this.limit = limit;
  }

  /** Throws `JsonPathBudgetError` before that many more values are visited, and for all that follows. */
  charge(values: number): void {
    this.spent += values;
    if (this.spent > this.limit) throw new JsonPathBudgetError(this.limit);
  }
}
