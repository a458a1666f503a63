import type { BitSet } from './bit-set.ts';
import type { Column } from './column.ts';
import { ExpressionColumn } from './expression-column.ts';

/** Units that the expressions of a placement may cost: the limit of one predicate on one cluster, and something for each cluster. */
const limitOf = (clusters: number): number => 10_000_000 + 1000 * clusters;

/** The expressions that a placement reads, evaluated for its candidates as far as its budget goes. */
export class CandidateExpressions {
  /** Set when the budget is used up, or an expression cannot be evaluated: what to tell the user. */
  fault: string | undefined;
  readonly #columns: readonly ExpressionColumn[];
  readonly #resumed: () => void;
  #isWaiting = false;

  /** `resumed` is called when `evaluate` should be called again. */
  constructor(columns: readonly Column[], resumed: () => void) {
    this.#columns = columns.filter((column) => column instanceof ExpressionColumn);
    this.#resumed = resumed;
    for (const column of this.#columns) column.evaluations.add(this.#continue);
  }

  close(): void {
    for (const column of this.#columns) column.evaluations.delete(this.#continue);
  }

  /** Whether an expression was not yet evaluated for a cluster. */
  lacks(id: number): boolean {
    return this.#columns.some((column) => !column.isEvaluated(id));
  }

  /** Whether there is an answer for each candidate, or there is a fault. */
  evaluate(candidates: () => BitSet): boolean {
    if (this.#columns.length === 0) return true;
    const ids: number[] = [];
    candidates().visitAll((id) => ids.push(id));
    const limit = limitOf(ids.length);
    let spent = 0;
    this.fault = undefined;
    for (const column of this.#columns) {
      for (const id of ids) {
        if (!column.evaluate(id)) {
          this.#isWaiting = true;
          this.fault = column.fault;
          return this.fault !== undefined;
        }
        spent += column.costOf(id);
        if (spent > limit) {
          this.fault = faultOf(this.#columns, column, ids, limit);
          return true;
        }
      }
    }
    return true;
  }

  readonly #continue = (): void => {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.#resumed();
  };
}

function faultOf(
  columns: readonly ExpressionColumn[],
  last: ExpressionColumn,
  ids: readonly number[],
  limit: number,
): string {
  const costOf = (id: number): number => columns.reduce((sum, column) => sum + column.costOf(id), 0);
  const highest = ids.reduce((most, id) => (costOf(id) > costOf(most) ? id : most));
  return (
    `evaluating the CEL expressions for ${ids.length} clusters costs more than ${limit} units, and ${last.quoted} used up the last of ` +
    `them; of the clusters evaluated so far, ${last.nameOf(highest)} costs the most: simplify the expressions, remove labels or ` +
    'claims of that cluster, or bind cluster sets without it'
  );
}
