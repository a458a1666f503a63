import { type Placement, type PlacementPredicate, SchedulingPlugin } from '@flotilla/api-types';
import type { LabelSelector } from '@flotilla/kube/meta';
import { MisconfiguredError } from './schedule-status.ts';

/**
 * What a placement may have. All of it is compiled and tested for each cluster when the placement is read: the placement of one tenant
 * must not keep those of others waiting, nor the leader from renewing its lease.
 */
const limits = { tests: 1000, values: 10_000, letters: 65_536 };

interface Size {
  /** Selectors, their requirements, tolerations and prioritizers. */
  readonly tests: number;
  /** Values of requirements. */
  readonly values: number;
  /** Of CEL expressions. */
  readonly letters: number;
}

const sumOf = <T>(items: readonly T[], count: (item: T) => number): number =>
  items.reduce((sum, item) => sum + count(item), 0);

const requirementsIn = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector = {}): number =>
  Object.keys(matchLabels).length + matchExpressions.length;

const valuesIn = ({ matchExpressions = [] }: LabelSelector = {}): number =>
  sumOf(matchExpressions, ({ values = [] }) => values.length);

function sizeOf({ requiredClusterSelector: selector = {} }: PlacementPredicate): Size {
  const { labelSelector, claimSelector, celSelector } = selector;
  return {
    // A selector without requirements is tested, too.
    tests: 1 + requirementsIn(labelSelector) + requirementsIn(claimSelector),
    values: valuesIn(labelSelector) + valuesIn(claimSelector),
    letters: sumOf(celSelector?.celExpressions ?? [], ({ length }) => length),
  };
}

/** Refuses a placement that would take long to read. Throws MisconfiguredError. */
export function checkSize({ predicates = [], tolerations = [], ...spec }: NonNullable<Placement['spec']>): void {
  const groups = spec.decisionStrategy?.groupStrategy?.decisionGroups ?? [];
  const selectors = [
    ...predicates,
    ...groups.map(({ groupClusterSelector }) => ({ requiredClusterSelector: groupClusterSelector })),
  ].map(sizeOf);
  const prioritizers = spec.prioritizerPolicy?.configurations ?? [];
  check(
    'predicates, decision groups, label and claim requirements, tolerations and prioritizers',
    sumOf(selectors, ({ tests }) => tests) + tolerations.length + prioritizers.length,
    limits.tests,
  );
  check(
    'values in its label and claim requirements',
    sumOf(selectors, ({ values }) => values),
    limits.values,
  );
  check(
    'characters in its CEL expressions',
    sumOf(selectors, ({ letters }) => letters),
    limits.letters,
  );
}

function check(what: string, count: number, limit: number): void {
  if (count <= limit) return;
  throw new MisconfiguredError(
    SchedulingPlugin.Predicate,
    `the placement has ${count} ${what}, but at most ${limit} are evaluated: use fewer, or select clusters by a label of their own`,
  );
}
