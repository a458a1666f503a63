import { CelEvaluationError, type CelProgram } from '../cel/cel.ts';
import { CelCostError, type CostBudget, CostMeter } from '../cel/cost.ts';
import { celValue } from '../cel/values.ts';
import type { JqOutput, RuleAnswer, RuleTask } from './protocol.ts';
import { Turn } from './turn.ts';
import { ownWork, type RuleCaller, WorkerQueue } from './worker-queue.ts';

/** Units that one expression may cost in the thread of the caller. What costs more begins again in the other thread. */
const maxInlineUnits = 10_000;

/** Letters of an expression that is compiled in the thread of the caller, what each costs, and what compiling costs besides. */
const maxInlineLetters = 4096;
const unitsPerLetter = 2;
const unitsPerCompilation = 100;

/** What beginning an evaluation costs: an object may have thousands of expressions that cost next to nothing. */
const unitsPerEvaluation = 10;

/** Values that are converted in the time of one unit. */
const valuesPerUnit = 10;

/** Values of an object that is converted in the thread of the caller. */
const maxInlineValues = 20_000;

/** Time for a million units, on a machine that is busy. The units bound the work; the time only ends a thread that does not answer. */
const celTimeoutMs = 10_000;

/** Objects with scores that one expression may ask for. */
const maxScores = 100;

/** The names of variables and their values, which are JSON. */
export type RuleVariables = Readonly<Record<string, unknown>>;

/**
 * Evaluates rules so that none of them holds up the event loop: what costs little in the thread of the caller, as many as a turn has
 * time for, and everything else in a thread of its own, with a deadline and a limit of memory.
 */
export class RuleRunner {
  readonly #turn = new Turn();
  readonly #queue = new WorkerQueue();
  /** Objects in the types of CEL; undefined for those that are too large to be converted here. */
  readonly #converted = new WeakMap<object, { readonly value: unknown } | undefined>();

  /** Returns when this turn of the event loop has time for something that costs up to `units`, which the caller then spends. */
  whenFree(units: number): Promise<void> {
    return this.#turn.whenFree(units);
  }

  spend(units: number): void {
    this.#turn.spend(units);
  }

  /**
   * The value of an expression, if that costs little and this turn of the event loop has time for it. Undefined otherwise, for
   * `evaluate`. Throws as a program does.
   */
  tryEvaluate(
    program: CelProgram,
    variables: RuleVariables,
    budget: CostBudget,
  ): { readonly value: unknown } | undefined {
    if (!this.#turn.has(maxInlineUnits) || !this.#mayCompile(program)) return undefined;
    const given = program.source?.isTyped ? variables : this.#convert(variables);
    if (!given) return undefined;
    const limit = Math.min(budget.limit, maxInlineUnits);
    const meter = new CostMeter(limit, program.source ? maxInlineUnits : Number.POSITIVE_INFINITY);
    try {
      const value = program.evaluate(given, meter);
      budget.charge(meter.spent);
      return { value };
    } catch (error) {
      const isCut = error instanceof CelCostError && (error.exceeded === 'turn' || limit < budget.limit);
      if (isCut && program.source) return undefined;
      throw budget.failed(error, meter.spent);
    } finally {
      this.#turn.spend(unitsPerEvaluation + meter.occupied);
    }
  }

  /**
   * The value of an expression. Throws `CelEvaluationError`, or `CelCostError` when it costs more than it may. Throws `RuleTaskError`
   * when the thread gave no answer, which says nothing about the expression: the machine may be too busy. Throws the reason of the
   * caller's signal when that is aborted before the expression began.
   */
  async evaluate(
    program: CelProgram,
    variables: RuleVariables,
    budget: CostBudget,
    caller: RuleCaller = ownWork,
  ): Promise<unknown> {
    await this.#turn.whenFree(maxInlineUnits);
    caller.signal?.throwIfAborted();
    const quick = this.tryEvaluate(program, variables, budget);
    return quick ? quick.value : this.#evaluateApart(program, variables, budget, caller);
  }

  async #evaluateApart(
    program: CelProgram,
    variables: RuleVariables,
    budget: CostBudget,
    caller: RuleCaller,
  ): Promise<unknown> {
    const { source } = program;
    if (!source) return budget.spend((meter) => program.evaluate(mapValues(variables, celValue), meter));
    const scores = new Map<string, unknown>();
    for (;;) {
      const task = { language: 'cel', source, variables, limit: budget.limit, scores } as const;
      const answer = await this.#ask(task, budget, caller);
      if (answer.type === 'needs' && scores.size < maxScores) {
        const { cluster, resource } = answer;
        scores.set(JSON.stringify([cluster, resource]), program.scoresOf?.(cluster, resource));
        continue;
      }
      if (answer.type === 'value') {
        budget.charge(answer.spent);
        return answer.value;
      }
      if (answer.type === 'failed') throw budget.failed(new CelEvaluationError(answer.message), answer.spent);
      throw budget.failed(new CelCostError(), answer.type === 'cost' ? answer.spent : budget.limit);
    }
  }

  /** Runs a jq filter on a text of JSON. Rejects with `RuleTaskError` when it takes too long or too much memory. */
  async runJq(
    json: string,
    filter: string,
    timeoutMs: number,
    caller: RuleCaller = ownWork,
  ): Promise<JqOutput & { readonly elapsedMs: number }> {
    const { answer, elapsedMs } = await this.#queue.run({ language: 'jq', json, filter }, timeoutMs, caller);
    if (answer.type !== 'jq') throw new Error('jq ended without a result');
    return { ...answer.output, elapsedMs };
  }

  async #ask(task: RuleTask, budget: CostBudget, caller: RuleCaller): Promise<RuleAnswer> {
    try {
      return (await this.#queue.run(task, celTimeoutMs, caller)).answer;
    } catch (error) {
      // An expression that the thread did not survive is not tried again within this budget.
      throw budget.failed(error, Number.POSITIVE_INFINITY);
    }
  }

  /** Whether a program is compiled, or short enough to be compiled in the thread of the caller. */
  #mayCompile({ isCompiled, source }: CelProgram): boolean {
    if (isCompiled || !source) return true;
    if (source.expression.length > maxInlineLetters) return false;
    this.#turn.spend(unitsPerCompilation + source.expression.length * unitsPerLetter);
    return true;
  }

  #convert(variables: RuleVariables): Record<string, unknown> | undefined {
    const given: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(variables)) {
      if (typeof value !== 'object' || value === null) {
        given[name] = celValue(value);
        continue;
      }
      if (!this.#converted.has(value)) {
        const count = countValues(value, maxInlineValues);
        this.#turn.spend(count / valuesPerUnit);
        this.#converted.set(value, count <= maxInlineValues ? { value: celValue(value) } : undefined);
      }
      const converted = this.#converted.get(value);
      if (!converted) return undefined;
      given[name] = converted.value;
    }
    return given;
  }
}

const mapValues = (variables: RuleVariables, change: (value: unknown) => unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, change(value)]));

/** How many values an object has with all that it contains; counting ends above `most`. */
function countValues(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  const inner = Object.values(value);
  let count = 1;
  if (inner.length > most) return inner.length;
  for (const each of inner) {
    count += countValues(each, most - count);
    if (count > most) return count;
  }
  return count;
}

/** The rules of a process share one: what they take from its event loop is bounded for all of them together. */
export const ruleRunner = new RuleRunner();
