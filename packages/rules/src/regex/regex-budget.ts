/** A pattern or a text, or all of an object together, that would take longer to match than rules may. */
export class RegexBudgetError extends Error {
  override readonly name = 'RegexBudgetError';
}

/**
 * Steps that matching may take: each instruction of a pattern for each character of a text. RE2 takes far fewer for most patterns,
 * but nobody knows that before.
 */
const maxSteps = 4_000_000;

/** What is left for the patterns that are matched for one object. */
export class RegexBudget {
  #left = maxSteps;

  /** Throws `RegexBudgetError` before that many more steps are taken. */
  charge(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new RegexBudgetError(`its patterns take more than ${maxSteps} steps to match`);
  }
}
