import { ManifestWorkReplicaSetCondition, ManifestWorkReplicaSetReason } from '@flotilla/api-types';
import { type ConditionInput, findCondition } from '@flotilla/kube';
import type { Condition } from '@flotilla/schema';
import type { ReplicaSetOutcome } from './outcome.ts';
import type { ClusterFailure } from './placement-rollout.policy.ts';

/** So many clusters are named; a status must not grow with the fleet. */
const mostNamed = 10;
const longestCause = 200;

const short = (text: string): string => (text.length > longestCause ? `${text.slice(0, longestCause - 1)}…` : text);

function named<T>(items: readonly T[], nameOf: (item: T) => string): string {
  const names = items.slice(0, mostNamed).map(nameOf);
  return [...names, ...(items.length > mostNamed ? [`and ${items.length - mostNamed} more`] : [])].join('; ');
}

const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

const causes = (what: string, failures: readonly ClusterFailure[]): string[] =>
  failures.length === 0
    ? []
    : [
        `${plural(failures.length, 'cluster')} ${what}: ${named(failures, ({ cluster, why }) => `${cluster}: ${short(why)}`)}.`,
      ];

/** The condition that names clusters and causes: none if nothing is wrong and nothing was. */
export function failureCondition(
  conditions: readonly Condition[] | undefined,
  { placements, missing, invalid, unwritten }: ReplicaSetOutcome,
): ConditionInput[] {
  const type = ManifestWorkReplicaSetCondition.ClustersFailed;
  const reasons = ManifestWorkReplicaSetReason.ClustersFailed;
  const failed = placements.flatMap((placement) => placement.failed);
  const unreachable = [...new Set(placements.flatMap((placement) => placement.unreachable))].sort();
  const stopped = placements.filter(({ isMaxFailureBreached }) => isMaxFailureBreached).map(({ name }) => name);
  const message = [
    ...invalid.map(({ placement, why }) => `Placement ${placement}: ${short(why)}.`),
    ...(missing.length > 0 ? [`There is no placement ${named(missing, (name) => name)}.`] : []),
    ...causes('failed', failed),
    ...causes('did not get the work', unwritten),
    ...(stopped.length > 0
      ? [`No other cluster of placement ${named(stopped, (name) => name)} gets the template: maxFailures is exceeded.`]
      : []),
    ...(unreachable.length > 0
      ? [`${plural(unreachable.length, 'cluster')} cannot be reached: ${named(unreachable, (name) => name)}.`]
      : []),
  ].join(' ');
  if (message === '') {
    const isSaid = findCondition(conditions, type) !== undefined;
    return isSaid ? [{ type, status: 'False', reason: reasons.NoClusterFailed, message: '' }] : [];
  }
  const reason =
    invalid.length > 0
      ? reasons.InvalidRolloutStrategy
      : stopped.length > 0
        ? reasons.MaxFailuresExceeded
        : failed.length + unwritten.length + missing.length > 0
          ? reasons.RolloutFailed
          : reasons.ClustersUnreachable;
  return [{ type, status: 'True', reason, message }];
}
