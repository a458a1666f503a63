import type { ManifestWork } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import { completionOf, decideOnCompletion } from './garbage-collection.policy.ts';

const now = Date.parse('2026-01-01T00:01:00Z');

interface Case {
  ttl?: number;
  complete?: 'True' | 'False' | 'Unknown';
  /** Seconds ago. */
  since?: number;
  metadata?: ManifestWork['metadata'];
}

const workOf = ({ ttl, complete, since = 30, metadata = {} }: Case): ManifestWork => ({
  metadata: { namespace: 'cluster1', name: 'w1', ...metadata },
  spec: {
    workload: { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }] },
    deleteOption: { propagationPolicy: 'Foreground', ...(ttl !== undefined && { ttlSecondsAfterFinished: ttl }) },
  },
  status: {
    conditions: complete
      ? [
          {
            type: 'Complete',
            status: complete,
            reason: 'ConditionRulesAggregated',
            message: '',
            lastTransitionTime: new Date(now - since * 1000).toISOString(),
          },
        ]
      : [],
  },
});

const replicaSet = { 'work.open-cluster-management.io/manifestworkreplicaset': 'default.mwrs' };

const keep = { kind: 'keep' };
const remove = { kind: 'delete' };

describe('a completed work', () => {
  it.each<[string, Case, object]>([
    ['without a time to live stays', { complete: 'True' }, keep],
    ['that has no Complete condition stays', { ttl: 10 }, keep],
    ['that is not complete stays', { ttl: 10, complete: 'False' }, keep],
    ['of which nothing is known stays', { ttl: 0, complete: 'Unknown' }, keep],
    ['whose time runs stays for the exact rest', { ttl: 60, complete: 'True' }, { kind: 'wait', ms: 30_000 }],
    ['whose time ends now goes', { ttl: 30, complete: 'True' }, remove],
    ['whose time is over goes', { ttl: 10, complete: 'True' }, remove],
    ['with a time of zero goes at once', { ttl: 0, complete: 'True', since: 0 }, remove],
    ['with a time below zero goes at once', { ttl: -5, complete: 'True', since: 0 }, remove],
    ['of a replica set stays', { ttl: 10, complete: 'True', metadata: { labels: replicaSet } }, keep],
    [
      'of a replica set whose name is empty stays',
      { ttl: 0, complete: 'True', metadata: { labels: { [Object.keys(replicaSet)[0] ?? '']: '' } } },
      keep,
    ],
    ['with other labels goes', { ttl: 10, complete: 'True', metadata: { labels: { app: 'x' } } }, remove],
    [
      'that is on its way out is let be',
      { ttl: 10, complete: 'True', metadata: { deletionTimestamp: '2026-01-01T00:00:59Z' } },
      keep,
    ],
  ])('[work 18.O-200] %s', (_, given, decision) => {
    expect(decideOnCompletion(workOf(given), now)).toEqual(decision);
    expect(decideOnCompletion(completionOf(workOf(given)), now)).toEqual(decision);
  });

  it('without delete options stays', () => {
    const { spec: _, ...rest } = workOf({ complete: 'True' });
    expect(decideOnCompletion(rest, now)).toEqual(keep);
  });

  it('is remembered without its manifests', () => {
    const kept = completionOf(workOf({ ttl: 10, complete: 'True' }));
    expect(JSON.stringify(kept)).not.toContain('ConfigMap');
  });
});
