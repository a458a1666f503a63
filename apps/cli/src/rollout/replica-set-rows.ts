import { type ManifestWorkReplicaSet, ManifestWorkReplicaSetCondition } from '@flotilla/api-types';
import { findCondition, keyOf } from '@flotilla/kube';
import { isPaused } from '@flotilla/work-manager';
import { formatAge, formatTable } from '../output/table.ts';

const headers = ['NAMESPACE', 'NAME', 'STATUS', 'CLUSTERS', 'UPDATED', 'AVAILABLE', 'AGE'];

/** Selected clusters. A hub of OCM says it in a text of each placement only. */
function clusterCount({ status }: ManifestWorkReplicaSet): number {
  const { summary, placementSummary = [] } = status ?? {};
  if (summary?.desiredTotal) return summary.desiredTotal;
  return placementSummary.reduce(
    (sum, { availableDecisionGroups = '' }) =>
      sum + Number(/ \/ (\d+) clusters/.exec(availableDecisionGroups)?.[1] ?? 0),
    0,
  );
}

/** The reason that matters most, in one word, and what it says. */
function stateOf(replicaSet: ManifestWorkReplicaSet): { readonly state: string; readonly message: string } {
  const conditions = replicaSet.status?.conditions;
  const failed = findCondition(conditions, ManifestWorkReplicaSetCondition.ClustersFailed);
  const message = failed?.status === 'True' ? failed.message : '';
  if (isPaused(replicaSet)) return { state: 'Paused', message };
  if (failed?.status === 'True') return { state: failed.reason, message };
  const applied = findCondition(conditions, ManifestWorkReplicaSetCondition.ManifestworkApplied);
  // Says something only where nothing can be applied at all.
  if (applied?.status === 'False' && applied.message !== '') return { state: applied.reason, message: applied.message };
  const verified = findCondition(conditions, ManifestWorkReplicaSetCondition.PlacementVerified);
  if (!verified) return { state: 'Unknown', message: 'no hub has reconciled it yet' };
  if (verified.status !== 'True') return { state: verified.reason, message: verified.message };
  const rolledOut = findCondition(conditions, ManifestWorkReplicaSetCondition.PlacementRolledOut);
  return { state: rolledOut?.reason ?? 'Unknown', message: '' };
}

/** The table of `get replicasets`. What is wrong is shown where something is. */
export function replicaSetTable(replicaSets: readonly ManifestWorkReplicaSet[], wide: boolean, now: number): string {
  const sorted = replicaSets.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const states = sorted.map(stateOf);
  const hasMessage = states.some(({ message }) => message !== '');
  return formatTable(
    [...headers, ...(wide ? ['PLACEMENTS', 'STRATEGIES'] : []), ...(hasMessage ? ['MESSAGE'] : [])],
    sorted.map((replicaSet, index) => {
      const { metadata, spec, status } = replicaSet;
      const refs = spec?.placementRefs ?? [];
      const { updated, total = 0, available = 0 } = status?.summary ?? {};
      return [
        metadata?.namespace ?? '',
        metadata?.name ?? '',
        states[index]?.state ?? '',
        String(clusterCount(replicaSet)),
        String(updated ?? total),
        String(available),
        formatAge(metadata?.creationTimestamp, now),
        ...(wide
          ? [
              refs.map(({ name }) => name).join(','),
              refs.map(({ rolloutStrategy }) => rolloutStrategy?.type ?? 'All').join(','),
            ]
          : []),
        states[index]?.message ?? '',
      ];
    }),
  );
}
