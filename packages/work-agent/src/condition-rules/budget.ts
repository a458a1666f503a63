import { CelCostError, CostMeter } from '@flotilla/api-types/cel';

/** What expressions may cost, as in Kubernetes. */
export interface CostLimits {
  readonly perExpression: number;
  /** For all rules of a manifest together, their messages included. */
  readonly perManifest: number;
}

/** The limits of Kubernetes, which OCM takes over. */
export const costLimits: CostLimits = { perExpression: 1_000_000, perManifest: 10_000_000 };

/** What is left of what the rules of a manifest may cost. */
export class CostBudget {
  readonly #perExpression: number;
  #left: number;

  constructor({ perExpression, perManifest }: CostLimits) {
    this.#perExpression = perExpression;
    this.#left = perManifest;
  }

  /** Runs an expression with a meter, and takes what it cost, whatever became of it. */
  spend<T>(evaluate: (meter: CostMeter) => T): T {
    const meter = new CostMeter(Math.min(this.#perExpression, this.#left));
    const isLast = this.#left <= this.#perExpression;
    try {
      return evaluate(meter);
    } catch (error) {
      if (error instanceof CelCostError && isLast) throw new Error('CEL evaluation budget exceeded', { cause: error });
      throw error;
    } finally {
      this.#left = Math.max(0, this.#left - meter.spent);
    }
  }
}
