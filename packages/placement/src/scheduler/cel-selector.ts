import type { AddOnPlacementScore, ManagedCluster } from '@flotilla/api-types';
import {
  CelCompileError,
  CelCostError,
  CelEvaluationError,
  type CelLibrary,
  type CelProgram,
  CostBudget,
  type CostLimits,
  celFailure,
  celValue,
  createCel,
} from '@flotilla/schema/cel';
import { createLinearRegex } from './regex.ts';

/** The scores that an add-on keeps for a cluster; undefined if there is no such object. */
export type ScoresOf = (
  cluster: string,
  resource: string,
) => NonNullable<NonNullable<AddOnPlacementScore['status']>['scores']> | undefined;

/** Compiles and evaluates the expressions of predicates. */
export interface CelSelectors {
  /** Throws with OCM's words if the expression does not compile. */
  compile(expression: string): CelProgram;
  /** Whether all expressions are true of a cluster. An expression that fails, costs too much or is not a boolean is not true. */
  matchesAll(programs: readonly CelProgram[], cluster: ManagedCluster): boolean;
}

/** OCM's limits: for one expression, and for all expressions of a predicate on one cluster. */
const costLimits: CostLimits = { perExpression: 1_000_000, inAll: 10_000_000 };

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);

const withoutEmpty = (object: object = {}): object =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => !isEmpty(value)));

/**
 * A cluster as expressions of OCM see it. Fields that OCM's type always writes are there, empty lists and maps are not, and neither
 * is the kind: an expression must match the same clusters on both hubs.
 */
const variableOf = ({ metadata, spec, status }: ManagedCluster): unknown =>
  celValue({
    metadata: withoutEmpty(metadata),
    spec: { hubAcceptsClient: false, ...withoutEmpty(spec) },
    status: { conditions: null, version: {}, ...withoutEmpty(status) },
  });

const nameIn = (cluster: unknown): string => {
  if (typeof cluster !== 'object' || cluster === null || !('metadata' in cluster)) return '';
  const { metadata } = cluster;
  if (typeof metadata !== 'object' || metadata === null || !('name' in metadata)) return '';
  return String(metadata.name);
};

/** What a value costs that a function makes: as a literal of the same shape would. */
function literalCost(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + literalCost(item), 10);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, field) => sum + literalCost(field), 30);
}

/** OCM's functions: the scores of a cluster, and JSON inside a string. */
const library =
  (scoresOf: ScoresOf): CelLibrary =>
  (environment, charge) => {
    environment.registerFunction('map.scores(string): list', (cluster: unknown, resource: string) => {
      const name = nameIn(cluster);
      const scores = scoresOf(name, resource);
      if (!scores) {
        throw celFailure(
          `failed to get score: addonplacementscore.cluster.open-cluster-management.io "${resource}" not found`,
        );
      }
      charge(10 + 31 * scores.length);
      return scores.map((score) => celValue({ name: score.name, value: score.value }));
    });
    environment.registerFunction('string.parseJSON(): dyn', (text: string) => {
      try {
        const value = celValue(JSON.parse(text));
        charge(Math.ceil(text.length / 10) + literalCost(value));
        return value;
      } catch (error) {
        if (error instanceof CelCostError) throw error;
        throw celFailure(`failed to parse json: ${error instanceof Error ? error.message : String(error)}`);
      }
    });
  };

/** Expressions over `managedCluster`, with the libraries and limits of OCM. */
export function createCelSelectors(scoresOf: ScoresOf): CelSelectors {
  const cel = createCel({
    variables: { managedCluster: 'map<string, dyn>' },
    regex: createLinearRegex(),
    register: library(scoresOf),
  });
  // Objects in a store are replaced and never changed, so that one conversion serves all expressions.
  const variables = new WeakMap<ManagedCluster, unknown>();
  const variableFor = (cluster: ManagedCluster): unknown => {
    const known = variables.get(cluster);
    if (known !== undefined) return known;
    const made = variableOf(cluster);
    variables.set(cluster, made);
    return made;
  };
  return {
    compile(expression) {
      try {
        return cel.compile(expression);
      } catch (error) {
        if (!(error instanceof CelCompileError)) throw error;
        throw new Error(`compilation failed: ${error.display}`, { cause: error });
      }
    },
    matchesAll(programs, cluster) {
      const budget = new CostBudget(costLimits);
      const managedCluster = variableFor(cluster);
      try {
        return programs.every(
          (program) => budget.spend((meter) => program.evaluate({ managedCluster }, meter)) === true,
        );
      } catch (error) {
        if (error instanceof CelCostError || error instanceof CelEvaluationError) return false;
        throw error;
      }
    },
  };
}
