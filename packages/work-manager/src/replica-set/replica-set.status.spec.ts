import { ManifestWorkCondition, type ManifestWorkReplicaSetStatus } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import type { GeneratedWork } from './generated-work.ts';
import type { PlacementOutcome, ReplicaSetOutcome } from './outcome.ts';
import { isSameStatus, replicaSetStatus } from './replica-set.status.ts';

const now = Date.UTC(2026, 0, 1);

/** A work with conditions that are true. */
const workOf = (cluster: number, ...types: readonly string[]): GeneratedWork => ({
  metadata: { namespace: `c${cluster}`, name: 'web' },
  status: {
    conditions: types.map((type) => ({
      type,
      status: 'True',
      reason: 'Test',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    })),
  },
});
const { Applied, Available, Degraded, Progressing } = ManifestWorkCondition;

const placementOf = (name: string, works: readonly GeneratedWork[], more: Partial<PlacementOutcome> = {}) => ({
  name,
  placement: { metadata: { name }, spec: {}, status: { numberOfSelectedClusters: works.length } },
  selected: new Set(works.map(({ metadata }) => metadata?.namespace ?? '')),
  create: [],
  update: [],
  delete: [],
  current: works,
  succeeded: 0,
  failed: [],
  unreachable: [],
  isMaxFailureBreached: false,
  written: new Set<string>(),
  ...more,
});
const outcomeOf = (...placements: readonly PlacementOutcome[]): ReplicaSetOutcome => ({
  placements,
  missing: [],
  invalid: [],
  unwritten: [],
});
const reasonOf = (status: ManifestWorkReplicaSetStatus, type: string) => {
  const condition = status.conditions?.find((each) => each.type === type);
  return `${condition?.status} ${condition?.reason}`;
};

describe('the status of a replica set', () => {
  it.each<[string, GeneratedWork[], string]>([
    ['all available', [workOf(1, Applied, Available), workOf(2, Applied, Available)], 'True AsExpected'],
    ['one progresses', [workOf(1, Applied, Available), workOf(2, Applied, Progressing)], 'False Processing'],
    [
      'all available, one progresses',
      [workOf(1, Applied, Available), workOf(2, Applied, Available, Progressing)],
      'False Processing',
    ],
    ['one is degraded', [workOf(1, Applied, Available), workOf(2, Progressing, Degraded)], 'False NotAsExpected'],
    ['one is not available', [workOf(1, Applied, Available), workOf(2, Applied)], 'False NotAsExpected'],
  ])('[work 18.N-190] with works of which %s', (_, works, expected) => {
    const status = replicaSetStatus(undefined, outcomeOf(placementOf('p', works)), { now, reportsHolds: true });
    expect(reasonOf(status, 'ManifestworkApplied')).toBe(expected);
  });

  it('[work 18.N-190] sums placements up, and leaves out works that go', () => {
    const going = workOf(3, Applied, Available);
    const deleted = { ...going, metadata: { ...going.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    const outcome = outcomeOf(
      placementOf('p', [workOf(1, Applied, Available)]),
      placementOf('q', [workOf(2, Applied, Degraded), deleted]),
    );
    const { summary, placementSummary } = replicaSetStatus(undefined, outcome, { now, reportsHolds: true });
    expect(summary).toEqual({
      total: 3,
      applied: 2,
      available: 1,
      degraded: 1,
      progressing: 0,
      desiredTotal: 3,
      updated: 3,
    });
    expect(placementSummary?.map((each) => each.summary?.applied)).toEqual([1, 1]);
  });

  it('names ten clusters at most, with short causes', () => {
    const failed = Array.from({ length: 1000 }, (_, index) => ({ cluster: `c${index}`, why: 'x'.repeat(5000) }));
    const status = replicaSetStatus(undefined, outcomeOf(placementOf('p', [], { failed })), {
      now,
      reportsHolds: true,
    });
    const message = status.conditions?.find(({ type }) => type === 'ClustersFailed')?.message ?? '';
    expect(message).toContain('1000 clusters failed: c0: ');
    expect(message).toContain('; and 990 more.');
    expect(message.length).toBeLessThan(2500);
  });

  it('is the same with a count of 0 and without the count, as OCM writes it', () => {
    const ours = { summary: { total: 1, applied: 0 }, placementSummary: [{ name: 'p', summary: { total: 1 } }] };
    const theirs = { summary: { total: 1 }, placementSummary: [{ name: 'p', summary: { total: 1, updated: 0 } }] };
    expect(isSameStatus(ours, theirs)).toBe(true);
    expect(isSameStatus(ours, { ...theirs, summary: { total: 2 } })).toBe(false);
  });
});
