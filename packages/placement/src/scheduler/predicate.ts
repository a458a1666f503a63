import { type PlacementPredicate, SchedulingPlugin } from '@flotilla/api-types';
import type { CelSelectors } from './cel-selector.ts';
import type { ClusterView } from './cluster-view.ts';
import { MisconfiguredError } from './schedule-status.ts';
import { compileSelector, requiredLabels } from './selectors.ts';

/** One compiled predicate. */
export interface Predicate {
  /** Labels as `key=value`, of which each cluster that matches has one; undefined if it asks for no value. */
  readonly labels: readonly string[] | undefined;
  matches(cluster: ClusterView): boolean;
  /** Whether it has expressions, which may read all of a cluster. */
  readonly readsObject: boolean;
  /** Whether an expression may read scores of add-ons. */
  readonly readsScores: boolean;
}

/** Compiles a predicate. Throws MisconfiguredError. */
export function compilePredicate(
  { requiredClusterSelector: required = {} }: PlacementPredicate,
  cel: () => CelSelectors,
): Predicate {
  try {
    const byLabels = compileSelector(required.labelSelector ?? {});
    const byClaims = compileSelector(required.claimSelector ?? {});
    const expressions = required.celSelector?.celExpressions ?? [];
    const programs = expressions.map((expression) => cel().compile(expression));
    return {
      labels: requiredLabels(required.labelSelector ?? {}),
      matches: ({ labels, claims, object }) =>
        byLabels(labels) && byClaims(claims) && (programs.length === 0 || cel().matchesAll(programs, object)),
      readsObject: programs.length > 0,
      readsScores: expressions.some((expression) => /\bscores\b/.test(expression)),
    };
  } catch (error) {
    throw new MisconfiguredError(SchedulingPlugin.Predicate, error instanceof Error ? error.message : String(error));
  }
}
