/** An expression that would do more work than it may: by itself, or together with those that were evaluated before it. */
export class CelCostError extends Error {
  override readonly name = 'CelCostError';
  /** `turn`: it takes too long for the thread of the caller, which says nothing about its cost. */
  readonly exceeded: 'limit' | 'budget' | 'turn';

  constructor(exceeded: 'limit' | 'budget' | 'turn' = 'limit') {
    super(exceeded === 'budget' ? 'CEL evaluation budget exceeded' : 'operation cancelled: actual cost limit exceeded');
    this.exceeded = exceeded;
  }
}

/** Counts what expressions cost, in the units of Kubernetes: about one for each step, and one for ten characters. */
export class CostMeter {
  /** What was spent so far; more than the limit once that was reached. */
  spent = 0;
  readonly limit: number;
  /** What takes longer than it costs, in the time of units. */
  #occupied = 0;
  readonly #maxOccupied: number;

  /** `maxOccupied` is set in a thread that has little time: what would take longer has to be evaluated in another one. */
  constructor(limit: number, maxOccupied = Number.POSITIVE_INFINITY) {
    this.limit = limit;
    this.#maxOccupied = maxOccupied;
  }

  /** The time that was taken from the thread so far, in units. */
  get occupied(): number {
    return this.spent + this.#occupied;
  }

  /** Throws `CelCostError` when the limit is passed: before something expensive is done, not after. */
  charge(units: number): void {
    this.spent += units;
    if (this.spent > this.limit) throw new CelCostError();
  }

  /** Takes time that Kubernetes does not charge. Throws `CelCostError` before the thread is held up for longer than it may. */
  occupy(units: number): void {
    this.#occupied += units;
    if (this.#occupied > this.#maxOccupied) throw new CelCostError('turn');
  }
}

/** What expressions may cost. */
export interface CostLimits {
  readonly perExpression: number;
  /** For all that are evaluated together. */
  readonly inAll: number;
}

/** What is left for expressions that are evaluated together. */
export class CostBudget {
  readonly #perExpression: number;
  readonly #inAll: number;
  #left: number;

  constructor({ perExpression, inAll }: CostLimits) {
    this.#perExpression = perExpression;
    this.#inAll = inAll;
    this.#left = inAll;
  }

  /** What all expressions did cost so far. */
  get spent(): number {
    return this.#inAll - this.#left;
  }

  /** What the next expression may cost. */
  get limit(): number {
    return Math.min(this.#left, this.#perExpression);
  }

  /** Takes what an expression did cost. */
  charge(units: number): void {
    this.#left = Math.max(0, this.#left - units);
  }

  /** Takes what an expression did cost until it failed, and returns the error to throw. */
  failed(error: unknown, units: number): unknown {
    const isLast = this.#left <= this.#perExpression;
    this.charge(units);
    return error instanceof CelCostError && isLast ? new CelCostError('budget') : error;
  }

  /** Runs an expression with a meter, and charges its cost even if it fails. Throws `CelCostError`. */
  spend<T>(evaluate: (meter: CostMeter) => T): T {
    const meter = new CostMeter(this.limit);
    try {
      const value = evaluate(meter);
      this.charge(meter.spent);
      return value;
    } catch (error) {
      throw this.failed(error, meter.spent);
    }
  }
}

/** What one character of a text costs. */
export const costOfCharacter = 0.1;

/** Computes the size of values with all that they contain. Make one for each evaluation: values do not change while it runs. */
export function createSizer(): (value: unknown) => number {
  const known = new WeakMap<object, number>();
  const sizeOf = (value: unknown): number => {
    if (typeof value === 'string') return value.length * costOfCharacter;
    if (typeof value !== 'object' || value === null) return 0;
    const before = known.get(value);
    if (before !== undefined) return before;
    const size = contentSize(value, sizeOf);
    known.set(value, size);
    return size;
  };
  return sizeOf;
}

function contentSize(value: object, sizeOf: (inner: unknown) => number): number {
  if (value instanceof Uint8Array) return value.length * costOfCharacter;
  let size = 0;
  if (Array.isArray(value)) for (const item of value) size += 1 + sizeOf(item);
  else for (const [key, field] of Object.entries(value)) size += 1 + sizeOf(key) + sizeOf(field);
  return size;
}
