import type { Condition } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { isReadinessReported, readinessOfManifest } from './manifest-readiness.ts';

const ready: Condition = {
  type: 'ResourceReady',
  status: 'True',
  reason: 'Current',
  message: 'Deployment is available',
  observedGeneration: 2,
  lastTransitionTime: '2026-01-01T00:00:00Z',
};
const available: Condition = { ...ready, type: 'Available', reason: 'ResourceAvailable' };

const kindFor = (condition: Partial<Condition>, generation = 2) =>
  readinessOfManifest({ conditions: [available, { ...ready, ...condition }] }, generation)?.kind;

describe('the readiness of a manifest', () => {
  it('has the message and the time of its condition', () => {
    expect(readinessOfManifest({ conditions: [available, ready] }, 2)).toEqual({
      kind: 'ready',
      message: 'Deployment is available',
      since: '2026-01-01T00:00:00Z',
    });
  });

  it.each<[string, Partial<Condition>, string]>([
    ['ready when the object is current', {}, 'ready'],
    ['failed when the object cannot become ready', { status: 'False', reason: 'Failed' }, 'failed'],
    ['waiting while the object progresses', { status: 'False', reason: 'InProgress' }, 'waiting'],
    ['waiting when the object could not be read', { status: 'Unknown', reason: 'Unknown' }, 'waiting'],
    ['waiting for a reason that a newer agent has', { status: 'False', reason: 'Other' }, 'waiting'],
  ])('is %s', (_, condition, kind) => {
    expect(kindFor(condition)).toBe(kind);
  });

  it('is unknown for another generation of the work than the one it was reported for', () => {
    expect(kindFor({}, 3)).toBeUndefined();
    expect(kindFor({}, 1)).toBeUndefined();
    expect(kindFor({ observedGeneration: undefined })).toBeUndefined();
  });

  it('is unknown when the agent does not report it, whatever a condition rule of that name says', () => {
    expect(readinessOfManifest({ conditions: [available] }, 2)).toBeUndefined();
    expect(kindFor({ reason: 'ConditionRuleEvaluated' })).toBeUndefined();
  });
});

it('is reported for works of replica sets', () => {
  const label = { 'work.open-cluster-management.io/manifestworkreplicaset': 'default.mwrs' };
  expect(isReadinessReported({ metadata: { labels: label } })).toBe(true);
  expect(isReadinessReported({ metadata: { labels: { app: 'x' } } })).toBe(false);
  expect(isReadinessReported({})).toBe(false);
});
