import { type PlacementPredicate, SchedulingPlugin } from '@flotilla/api-types';
import type { CelMatch, CelSelectors } from './cel-selector.ts';
import type { ClusterView } from './cluster-view.ts';
import { MisconfiguredError } from './schedule-status.ts';
import { compileSelector, requiredLabels } from './selectors.ts';

/** A predicate with expressions. */
export interface ExpressionTest {
  /** The expressions as a user wrote them. */
  readonly text: string;
  matchesLabels(cluster: ClusterView): boolean;
  /** Whether the expressions are true of a cluster; undefined if that takes too long for now. */
  tryMatch(cluster: ClusterView): CelMatch | undefined;
  /** The same, however long it takes. Rejects with `RuleTaskError` when there is no answer. */
  match(cluster: ClusterView, signal: AbortSignal): Promise<CelMatch>;
}

/** One compiled predicate. */
export interface Predicate {
  /** Labels as `key=value`, of which each cluster that matches has one; undefined if it asks for no value. */
  readonly labels: readonly string[] | undefined;
  /** Whether a cluster has the labels and claims that are asked for. */
  matchesLabels(cluster: ClusterView): boolean;
  /** Set if it has expressions, which may read all of a cluster and take long. */
  readonly expressions?: ExpressionTest;
  /** Whether an expression may read scores of add-ons. */
  readonly readsScores: boolean;
}

/** Compiles a predicate. Expressions that take long are evaluated in the turns of `owner`. Throws MisconfiguredError. */
export function compilePredicate(
  { requiredClusterSelector: required = {} }: PlacementPredicate,
  cel: () => CelSelectors,
  owner: string,
): Predicate {
  try {
    const byLabels = compileSelector(required.labelSelector ?? {});
    const byClaims = compileSelector(required.claimSelector ?? {});
    const expressions = required.celSelector?.celExpressions ?? [];
    const programs = expressions.length > 0 ? cel().compileAll(expressions) : [];
    const matchesLabels = ({ labels, claims }: ClusterView) => byLabels(labels) && byClaims(claims);
    return {
      labels: requiredLabels(required.labelSelector ?? {}),
      matchesLabels,
      ...(programs.length > 0 && {
        expressions: {
          text: expressions.join(' && '),
          matchesLabels,
          tryMatch: ({ object }) => cel().tryMatch(programs, object),
          match: ({ object }, signal) => cel().match(programs, object, { owner, signal }),
        },
      }),
      readsScores: expressions.some((expression) => /\bscores\b/.test(expression)),
    };
  } catch (error) {
    throw new MisconfiguredError(SchedulingPlugin.Predicate, error instanceof Error ? error.message : String(error));
  }
}
