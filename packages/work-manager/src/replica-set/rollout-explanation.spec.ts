import {
  Annotation,
  Label,
  type ManifestWork,
  type ManifestWorkReplicaSet,
  type RolloutStrategy,
} from '@flotilla/api-types';
import { wallTime } from '@flotilla/kube/clock';
import { describe, expect, it } from 'vitest';
import { type ExplainedCluster, explainRollout } from './rollout-explanation.ts';

const now = Date.UTC(2026, 0, 1);
const manifests = (version: string) => [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'web' }, data: { version } },
];
const replicaSetOf = (rolloutStrategy?: RolloutStrategy): ManifestWorkReplicaSet => ({
  metadata: { namespace: 'team', name: 'web' },
  spec: {
    cascadeDeletionPolicy: 'Background',
    manifestWorkTemplate: { workload: { manifests: manifests('new') } },
    placementRefs: [{ name: 'all', ...(rolloutStrategy && { rolloutStrategy }) }],
  },
});

/** A work by what its agent reports, `secondsAgo`. */
function workOf(
  cluster: string,
  { applied = 'True', message = '', version = 'new', secondsAgo = 600 } = {},
): ManifestWork {
  const lastTransitionTime = new Date(now - secondsAgo * 1000).toISOString();
  const about = { reason: 'Test', lastTransitionTime, observedGeneration: 1 };
  return {
    metadata: {
      namespace: cluster,
      name: 'web',
      generation: 1,
      creationTimestamp: lastTransitionTime,
      labels: { [Label.ManifestWorkPlacement]: 'all' },
    },
    spec: { workload: { manifests: manifests(version) } },
    status: {
      conditions: ['Applied', 'Available'].map((type) => ({ ...about, type, status: applied as 'True', message })),
    },
  };
}

const decisionsOf = (...groups: readonly (readonly string[])[]) =>
  groups.map((clusters, index) => ({
    metadata: {
      namespace: 'team',
      name: `all-decision-${index + 1}`,
      labels: {
        [Label.Placement]: 'all',
        [Label.DecisionGroupIndex]: String(index),
        [Label.DecisionGroupName]: index === 0 ? 'canary' : '',
      },
    },
    status: { decisions: clusters.map((clusterName) => ({ clusterName, reason: '' })) },
  }));

const placements = [{ metadata: { namespace: 'team', name: 'all' }, spec: {} }];
const progressive = (settings: RolloutStrategy['progressive'] = {}): RolloutStrategy => ({
  type: 'Progressive',
  progressive: { maxConcurrency: 1, ...settings },
});
const linesOf = (clusters: readonly ExplainedCluster[] = []) =>
  clusters.map(({ cluster, step, why }) => [cluster, step, why].filter(Boolean).join(' '));

describe('an explained rollout', () => {
  it('says which clusters are done, which get the template, and for whom the others wait', () => {
    const [placement] = explainRollout({
      replicaSet: replicaSetOf(progressive()),
      placements,
      decisions: decisionsOf(['c1'], ['c2', 'c3', 'c4']),
      works: [workOf('c1'), workOf('c2', { applied: 'Unknown' }), workOf('c3', { version: 'old' })],
      now,
    });
    expect(placement).toMatchObject({ placement: 'all', strategy: 'Progressive', held: 'waits for c2' });
    expect(linesOf(placement?.clusters)).toEqual([
      'c1 Succeeded',
      'c2 Progressing it is not available',
      'c3 Waiting waits for c2',
      'c4 Waiting waits for c2',
    ]);
    expect(placement?.clusters[0]).toMatchObject({ groupIndex: 0, groupName: 'canary' });
  });

  it('names a group that comes first, and a cluster that is the next', () => {
    const [placement] = explainRollout({
      replicaSet: replicaSetOf({ type: 'ProgressivePerGroup', progressivePerGroup: {} }),
      placements,
      decisions: decisionsOf(['c1', 'c2'], ['c3']),
      works: [],
      now,
    });
    expect(linesOf(placement?.clusters)).toEqual(['c1 Next', 'c2 Next', 'c3 Waiting waits for c1, c2']);
  });

  it('says what failed, and that it stops the others', () => {
    const [placement] = explainRollout({
      replicaSet: replicaSetOf(progressive()),
      placements: placements.map((each) => ({ ...each, status: { numberOfSelectedClusters: 2 } })),
      decisions: decisionsOf(['c1', 'c2']),
      works: [workOf('c1', { applied: 'False', message: 'no such kind' })],
      now,
    });
    expect(placement?.held).toBe('more clusters failed than maxFailures allows: c1');
    expect(linesOf(placement?.clusters)).toEqual([
      'c1 Failed no such kind',
      'c2 Waiting more clusters failed than maxFailures allows: c1',
    ]);
  });

  it('tells a cluster that soaks and one that took too long from those that are done', () => {
    const [placement] = explainRollout({
      replicaSet: replicaSetOf(progressive({ maxConcurrency: 3, minSuccessTime: '5m', progressDeadline: '2m' })),
      placements,
      decisions: decisionsOf(['c1', 'c2', 'c3']),
      works: [workOf('c1'), workOf('c2', { secondsAgo: 60 }), workOf('c3', { applied: 'Unknown' })],
      now,
    });
    expect(linesOf(placement?.clusters)).toEqual(['c1 Succeeded', 'c2 Soaking', 'c3 TimedOut it is not available']);
    expect(placement?.clusters[1]?.until).toBe(now + 240_000);
  });

  it('says that it is paused, that a cluster cannot be reached, and that one leaves', () => {
    const replicaSet = replicaSetOf();
    const metadata = { ...replicaSet.metadata, annotations: { [Annotation.RolloutPaused]: 'true' } };
    const [placement] = explainRollout({
      replicaSet: { ...replicaSet, metadata },
      placements: placements.map((each) => ({ ...each, status: { numberOfSelectedClusters: 2 } })),
      decisions: decisionsOf(['c1', 'c2']),
      works: [workOf('c1', { applied: 'Unknown' }), workOf('c9')],
      unreachableSince: (cluster) => (cluster === 'c1' ? wallTime(now - 3_600_000) : undefined),
      now,
    });
    expect(linesOf(placement?.clusters)).toEqual([
      'c1 Unreachable it does not report to the hub; others need not wait for it',
      'c2 Waiting the rollout is paused',
      'c9 Removing the placement does not select it any more',
    ]);
  });

  it('says what is wrong with a strategy, and that a placement does not exist', () => {
    const facts = { decisions: decisionsOf(['c1']), works: [], now };
    const invalid = replicaSetOf(progressive({ maxConcurrency: 'many' }));
    expect(explainRollout({ ...facts, replicaSet: invalid, placements })[0]?.held).toContain("'many' is an invalid");
    const [missing] = explainRollout({ ...facts, replicaSet: replicaSetOf(), placements: [] });
    expect(missing?.held).toBe('the placement does not exist');
    const long = { ...replicaSetOf(), metadata: { namespace: 'team', name: 'x'.repeat(60) } };
    expect(explainRollout({ ...facts, replicaSet: long, placements })[0]?.held).toContain('is not a valid label value');
  });
});
