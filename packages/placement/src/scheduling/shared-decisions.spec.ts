import { managedClusters, type PlacementDecision, placementDecisions } from '@flotilla/api-types';
import type { Informers } from '@flotilla/kube';
import { expect, it } from 'vitest';
import { withSharedDecisions } from './shared-decisions.ts';

/** The transform that informers are asked for. */
function transformOf(type: typeof placementDecisions | typeof managedClusters): unknown {
  const asked: unknown[] = [];
  const informers = { resource: (_: unknown, options: unknown) => void asked.push(options) } as unknown as Informers;
  const compact = withSharedDecisions(informers);
  compact.resource<PlacementDecision>(type as typeof placementDecisions);
  compact.resource<PlacementDecision>(type as typeof placementDecisions, { namespace: 'team' });
  const [first, second] = asked as { transform?: unknown }[];
  // One function for all who ask, so that they share one cache.
  expect(second?.transform).toBe(first?.transform);
  return first?.transform;
}

it('keeps one object for each cluster, and what others wrote as it is', () => {
  const transform = transformOf(placementDecisions) as (decision: PlacementDecision) => PlacementDecision;
  const page = (name: string, reason = '') => ({
    metadata: { name, managedFields: [{}] },
    status: { decisions: [{ clusterName: 'c1', reason }] },
  });
  const [a, b, foreign] = [transform(page('a')), transform(page('b')), transform(page('c', 'manual'))];
  expect(a).toEqual({ metadata: { name: 'a' }, status: { decisions: [{ clusterName: 'c1', reason: '' }] } });
  expect(b.status?.decisions?.[0]).toBe(a.status?.decisions?.[0]);
  expect(foreign.status?.decisions).toEqual([{ clusterName: 'c1', reason: 'manual' }]);
});

it('leaves other kinds alone', () => {
  expect(transformOf(managedClusters)).toBeUndefined();
});
