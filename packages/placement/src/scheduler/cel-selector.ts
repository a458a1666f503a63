import type { ManagedCluster } from '@flotilla/api-types';
import {
  type Cel,
  CelCompileError,
  type CelProgram,
  CostBudget,
  type CostLimits,
  celValue,
  createCel,
  type ScoresOf,
} from '@flotilla/rules/cel';
import { type RuleCaller, RuleTaskError, ruleRunner } from '@flotilla/rules/runner';

/** Whether expressions are true of a cluster, and what it cost to know that. */
export interface CelMatch {
  readonly matches: boolean;
  readonly cost: number;
}

/** Compiles and evaluates the expressions of predicates. */
export interface CelSelectors {
  /** Throws with OCM's words if an expression does not compile. */
  compileAll(expressions: readonly string[]): readonly CelProgram[];
  /**
   * Whether all expressions are true of a cluster. An expression that fails, costs too much or is not a boolean is not true. Undefined
   * if the event loop has no time for it now.
   */
  tryMatch(programs: readonly CelProgram[], cluster: ManagedCluster): CelMatch | undefined;
  /** The same without holding up the event loop. Rejects with `RuleTaskError` when there is no answer, which is none about the cluster. */
  match(programs: readonly CelProgram[], cluster: ManagedCluster, caller?: RuleCaller): Promise<CelMatch>;
}

/** OCM's limits: for one expression, and for all expressions of a predicate on one cluster. */
const costLimits: CostLimits = { perExpression: 1_000_000, inAll: 10_000_000 };

/** Letters of all expressions of a predicate. Compiling them takes time that the expressions of other placements do not have. */
const maxLetters = 16_384;

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);

const withoutEmpty = (object: object = {}): object =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => !isEmpty(value)));

/**
 * A cluster as expressions of OCM see it. Fields that OCM's type always writes are there, empty lists and maps are not, and neither
 * is the kind: an expression must match the same clusters on both hubs.
 */
const variableOf = ({ metadata, spec, status }: ManagedCluster): object => ({
  metadata: withoutEmpty(metadata),
  spec: { hubAcceptsClient: false, ...withoutEmpty(spec) },
  status: { conditions: null, version: {}, ...withoutEmpty(status) },
});

/** Options of CEL selectors. */
export interface CelSelectorOptions {
  /** The scores that an add-on keeps for a cluster. */
  readonly scoresOf: ScoresOf;
  /** Evaluate at once, however long it takes. For programs that do nothing else meanwhile. */
  readonly atOnce?: boolean;
}

/** Expressions over `managedCluster`, with the libraries and limits of OCM. */
export function createCelSelectors({ scoresOf, atOnce = false }: CelSelectorOptions): CelSelectors {
  const cel = createCel({ variables: { managedCluster: 'map<string, dyn>' }, functions: { scoresOf } });
  // Objects in a store are replaced and never changed, so that one conversion serves all expressions.
  const variables = new WeakMap<ManagedCluster, object>();
  const variableFor = (cluster: ManagedCluster): object => {
    const known = variables.get(cluster);
    if (known !== undefined) return known;
    const made = variableOf(cluster);
    variables.set(cluster, made);
    return made;
  };
  const evaluateNow = (program: CelProgram, managedCluster: object, budget: CostBudget) => ({
    value: budget.spend((meter) => program.evaluate({ managedCluster: celValue(managedCluster) }, meter)),
  });
  return {
    compileAll: (expressions) => compileAll(cel, expressions),
    tryMatch(programs, cluster) {
      const budget = new CostBudget(costLimits);
      const managedCluster = variableFor(cluster);
      try {
        for (const program of programs) {
          const found = atOnce
            ? evaluateNow(program, managedCluster, budget)
            : ruleRunner.tryEvaluate(program, { managedCluster }, budget);
          if (!found) return undefined;
          if (found.value !== true) return matchOf(false, budget);
        }
        return matchOf(true, budget);
      } catch {
        return matchOf(false, budget);
      }
    },
    async match(programs, cluster, caller) {
      const budget = new CostBudget(costLimits);
      const managedCluster = variableFor(cluster);
      try {
        for (const program of programs) {
          const value = await ruleRunner.evaluate(program, { managedCluster }, budget, caller);
          if (value !== true) return matchOf(false, budget);
        }
        return matchOf(true, budget);
      } catch (error) {
        caller?.signal?.throwIfAborted();
        if (error instanceof RuleTaskError) throw error;
        return matchOf(false, budget);
      }
    },
  };
}

function compileAll(cel: Cel, expressions: readonly string[]): CelProgram[] {
  const letters = expressions.reduce((sum, { length }) => sum + length, 0);
  if (letters > maxLetters) {
    throw new Error(
      `the CEL expressions have ${letters} characters, but at most ${maxLetters} are evaluated: shorten them`,
    );
  }
  try {
    return expressions.map((expression) => cel.compile(expression));
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error;
    throw new Error(`compilation failed: ${error.display}`, { cause: error });
  }
}

const matchOf = (matches: boolean, { spent }: CostBudget): CelMatch => ({ matches, cost: spent });
