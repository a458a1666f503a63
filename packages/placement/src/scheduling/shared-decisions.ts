import { type PlacementDecision, placementDecisions } from '@flotilla/api-types';
import { dropManagedFields, type Informers } from '@flotilla/kube';

type Decision = NonNullable<NonNullable<PlacementDecision['status']>['decisions']>[number];

/** More clusters than that start over, which only costs a copy of each. */
const mostClusters = 65_536;

/** Pages that name the same cluster share one object for it. */
function sharing(): (decision: PlacementDecision) => PlacementDecision {
  const known = new Map<string, Decision>();
  const share = (decision: Decision): Decision => {
    const { clusterName, reason, ...others } = decision;
    if (reason !== '' || Object.keys(others).length > 0) return decision;
    const shared = known.get(clusterName);
    if (shared) return shared;
    if (known.size >= mostClusters) known.clear();
    known.set(clusterName, decision);
    return decision;
  };
  return (decision) => {
    const kept = dropManagedFields(decision);
    const { decisions } = kept.status ?? {};
    return decisions ? { ...kept, status: { ...kept.status, decisions: decisions.map(share) } } : kept;
  };
}

/**
 * Informers whose cache of decisions is compact, for all who ask them: a thousand placements that select ten thousand clusters each
 * have ten million decisions, of which each would take a hundred bytes.
 */
export function withSharedDecisions(informers: Informers): Informers {
  const transform = sharing();
  return {
    ...informers,
    resource: (type, options = {}) => {
      if (type.group !== placementDecisions.group || type.plural !== placementDecisions.plural) {
        return informers.resource(type, options);
      }
      // The kind says that these are decisions; the compiler cannot conclude it.
      const compact = { transform, ...options } as unknown as typeof options;
      return informers.resource(type, compact);
    },
  };
}
