import type { ManagedCluster, Placement, PlacementPredicate } from '@flotilla/api-types';
import { formatLabelSelector } from '@flotilla/kube/meta';
import type { PlacementEngine, PlacementTrace } from '@flotilla/placement';

/** What becomes of one cluster. */
export interface ClusterExplanation {
  readonly cluster: string;
  readonly selected: boolean;
  /** By the names of prioritizers; empty unless the cluster is feasible. */
  readonly scores: Readonly<Record<string, number>>;
  readonly total?: number;
  /** Why it is not selected. */
  readonly reason?: string;
}

/** One condition of a predicate, and the clusters that meet it. */
interface PredicatePart {
  readonly text: string;
  readonly matching: ReadonlySet<string>;
}

type Selector = NonNullable<PlacementPredicate['requiredClusterSelector']>;

/** The conditions of a selector, each as a selector of its own. */
function* partsOf({ labelSelector, claimSelector, celSelector }: Selector): Generator<readonly [string, Selector]> {
  if (labelSelector) yield [`labels ${formatLabelSelector(labelSelector) || '(any)'}`, { labelSelector }];
  if (claimSelector) yield [`claims ${formatLabelSelector(claimSelector) || '(any)'}`, { claimSelector }];
  for (const expression of celSelector?.celExpressions ?? []) {
    yield [`CEL ${expression}`, { celSelector: { celExpressions: [expression] } }];
  }
}

/** Tests each condition of each predicate alone, by a placement that has no other. */
function predicatesOf(engine: PlacementEngine, placement: Placement): PredicatePart[][] {
  return (placement.spec?.predicates ?? []).map(({ requiredClusterSelector }) =>
    [...partsOf(requiredClusterSelector ?? {})].map(([text, part]) => {
      const spec = { clusterSets: placement.spec?.clusterSets, predicates: [{ requiredClusterSelector: part }] };
      const [predicate] = engine.trace({ metadata: placement.metadata, spec }).filters;
      return { text, matching: new Set(predicate?.clusters) };
    }),
  );
}

function whyNoPredicate(cluster: string, predicates: readonly (readonly PredicatePart[])[]): string {
  const failed = predicates.map((parts, index) => {
    const missing = parts.filter(({ matching }) => !matching.has(cluster)).map(({ text }) => text);
    return `predicate ${index + 1} wants ${missing.join(' and ')}`;
  });
  return `does not match: ${failed.join('; ')}`;
}

const taintsOf = ({ spec }: ManagedCluster): string =>
  (spec?.taints ?? [])
    .filter(({ effect }) => effect !== 'PreferNoSelect')
    .map(({ key, value, effect }) => `${key}${value ? `=${value}` : ''}:${effect}`)
    .join(', ');

/** Explains for each cluster of the hub what a placement makes of it. Those that are selected come first. */
export function explainClusters(
  engine: PlacementEngine,
  placement: Placement,
  clusters: readonly ManagedCluster[],
  trace: PlacementTrace,
): ClusterExplanation[] {
  const candidates = new Set(trace.candidates);
  const [matching, tolerated] = trace.filters.map((filter) => new Set(filter.clusters));
  const selected = new Set(trace.result.selected);
  const totals = new Map(trace.totals.map(({ cluster, total }) => [cluster, total]));
  const least = Math.min(...trace.result.selected.map((cluster) => totals.get(cluster) ?? 0));
  const predicates = predicatesOf(engine, placement);
  const sets = trace.result.eligibleSets.join(', ') || 'none';

  const reasonOf = (object: ManagedCluster): string | undefined => {
    const cluster = object.metadata?.name ?? '';
    if (selected.has(cluster)) return undefined;
    if (object.metadata?.deletionTimestamp) return 'is being deleted';
    if (!candidates.has(cluster)) return `is not in a cluster set that the placement chooses from (${sets})`;
    if (matching && !matching.has(cluster)) return whyNoPredicate(cluster, predicates);
    if (tolerated && !tolerated.has(cluster)) return `has a taint that is not tolerated: ${taintsOf(object)}`;
    if (trace.status.code === 'Misconfigured') return 'the placement is misconfigured';
    const total = totals.get(cluster) ?? 0;
    if (placement.spec?.numberOfClusters === 0) return 'numberOfClusters is 0';
    return total < least
      ? `has a lower total than ${least}`
      : `has the total ${total}, as those whose names come first`;
  };

  const explained = clusters.map((object): ClusterExplanation => {
    const cluster = object.metadata?.name ?? '';
    const total = totals.get(cluster);
    const scores = trace.prioritizers.flatMap(({ name, scores: given }) =>
      given[cluster] === undefined ? [] : [[name, given[cluster]] as const],
    );
    const reason = reasonOf(object);
    return {
      cluster,
      selected: selected.has(cluster),
      scores: Object.fromEntries(scores),
      ...(total !== undefined && { total }),
      ...(reason !== undefined && { reason }),
    };
  });
  const rank = ({ selected: isSelected, total }: ClusterExplanation) => (isSelected ? 2 : total === undefined ? 0 : 1);
  return explained.toSorted(
    (a, b) =>
      rank(b) - rank(a) ||
      (b.total ?? 0) - (a.total ?? 0) ||
      (a.cluster < b.cluster ? -1 : Number(a.cluster > b.cluster)),
  );
}
