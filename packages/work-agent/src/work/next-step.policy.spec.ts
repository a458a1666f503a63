import { configMaps, namespaces } from '@flotilla/kube/kinds';
import type { ObjectMeta } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { conflictWindowMs, isConflict, repairsWith } from '../conflicts/conflicting-writer.ts';
import type { CachedMetadata } from '../watch/kind-watch.ts';
import { type Desired, nextStep, type Step } from './next-step.policy.ts';
import type { ObjectState } from './object-state.ts';
import type { FailedOutcome, Outcome } from './outcome.ts';

const owner = { apiVersion: 'work.open-cluster-management.io/v1', kind: 'AppliedManifestWork', name: 'w', uid: 'o' };
const metadata: ObjectMeta = { uid: 'u', resourceVersion: '5', generation: 1, ownerReferences: [owner] };
const state: ObjectState = {
  target: { type: configMaps, key: 'ns/n' },
  meta: { ordinal: 0 },
  intent: 'as ordered',
  outcome: { kind: 'applied' },
  uid: 'u',
  resourceVersion: '5',
  generation: 1,
  rules: '',
  repairs: [],
  presence: { kind: 'present' },
};
const desired: Desired = {
  intent: 'as ordered',
  rules: '',
  letters: 5000,
  metadata: { ownerReferences: [owner] },
  strategy: 'Update',
  isFrozen: false,
};
const present = (parts: ObjectMeta = {}): CachedMetadata => ({ kind: 'present', metadata: { ...metadata, ...parts } });
const deleted: CachedMetadata = { kind: 'deleted', resourceVersion: '9' };
const unknown: CachedMetadata = { kind: 'unknown' };
const newer = present({ resourceVersion: '6' });
const failure = { reason: 'AppliedManifestFailed', message: 'no' } as const;
const failed: FailedOutcome = { kind: 'failed', failure, failures: 1, retryAt: 200, generation: 7 };
const awaiting: FailedOutcome = {
  ...failed,
  failure: { ...failure, awaits: { type: namespaces, key: 'ns' } },
};
const paused: Outcome = { kind: 'paused', failure, until: 200 };
const finishedJob = { values: [], errors: [], hasFeedbackRules: false, conditions: [], isFinishedJob: true };
const cut: ObjectState = {
  ...state,
  observation: { values: [], errors: [], hasFeedbackRules: false, conditions: [], cutAt: 5000 },
};
const absent = { uid: undefined, resourceVersion: undefined, generation: undefined };

describe('what is done about an object', () => {
  it.each<[string, ObjectState | undefined, CachedMetadata, Desired, Step]>([
    ['nothing if it is as it was', state, present(), desired, 'none'],
    ['applied if it is not known', undefined, present(), desired, 'apply'],
    ['applied if the hub wants something else', state, present(), { ...desired, intent: 'other' }, 'apply'],
    ['left alone if it failed a moment ago', { ...state, outcome: failed }, present(), desired, 'none'],
    [
      'left alone if it could not be created a moment ago',
      { ...state, ...absent, outcome: failed },
      deleted,
      desired,
      'none',
    ],
    [
      'applied if it failed, and its time has come',
      { ...state, outcome: { ...failed, retryAt: 100 } },
      present(),
      desired,
      'apply',
    ],
    [
      'applied if it failed for an earlier generation of the work',
      { ...state, outcome: { ...failed, generation: 6 } },
      present(),
      desired,
      'apply',
    ],
    [
      'applied if it failed, and its body changed',
      { ...state, outcome: failed },
      present({ resourceVersion: '6', generation: 2 }),
      desired,
      'apply',
    ],
    ['recorded if it failed, and only its status changed', { ...state, outcome: failed }, newer, desired, 'record'],
    [
      'applied if it failed and another writer created it',
      { ...state, ...absent, outcome: failed },
      present(),
      desired,
      'apply',
    ],
    ['applied if it failed and was deleted', { ...state, outcome: failed }, deleted, desired, 'apply'],
    [
      'applied if other managers may have released its fields',
      { ...state, outcome: { ...failed, failure: { ...failure, waits: true } } },
      newer,
      desired,
      'apply',
    ],
    ['applied if it is allowed now', { ...state, outcome: { kind: 'refused', failure } }, present(), desired, 'apply'],
    ['applied if it is not watched', state, unknown, desired, 'apply'],
    ['applied if it is gone', state, deleted, desired, 'apply'],
    ['applied if it is another of its name', state, present({ uid: 'other' }), desired, 'apply'],
    ['applied if its body changed', state, present({ resourceVersion: '6', generation: 2 }), desired, 'apply'],
    [
      'applied if its kind has no generation',
      { ...state, generation: undefined },
      present({ resourceVersion: '6', generation: undefined }),
      desired,
      'apply',
    ],
    ['applied if it lost its owner', state, present({ resourceVersion: '6', ownerReferences: [] }), desired, 'apply'],
    ['recorded if only its status changed', state, newer, desired, 'record'],
    [
      'read if its status changed and a rule reads it',
      { ...state, rules: 'r' },
      newer,
      { ...desired, rules: 'r' },
      'observe',
    ],
    ['left alone if its messages are cut where they were', cut, present(), desired, 'none'],
    ['read if its messages are cut, and now have more room', cut, present(), { ...desired, letters: 6000 }, 'observe'],
    ['read if only the rules changed', state, present(), { ...desired, rules: 'r' }, 'observe'],
    [
      'recorded if its body changed and is only created',
      { ...state, generation: undefined },
      present({ resourceVersion: '6', generation: undefined }),
      { ...desired, strategy: 'CreateOnly' },
      'record',
    ],
    ['read and never written if it is read-only', undefined, unknown, { ...desired, strategy: 'ReadOnly' }, 'observe'],
    [
      'read and not written if it is complete',
      state,
      present({ resourceVersion: '6', generation: 2 }),
      { ...desired, rules: 'r', isFrozen: true },
      'observe',
    ],
    [
      'left alone if it is complete and gone',
      { ...state, uid: undefined },
      deleted,
      { ...desired, isFrozen: true },
      'none',
    ],
    ['applied if it is complete no more', { ...state, outcome: { kind: 'observed' } }, present(), desired, 'apply'],
    ['recorded while another writer is left alone', { ...state, outcome: paused }, newer, desired, 'record'],
    ['applied after that', { ...state, outcome: { ...paused, until: 50 } }, newer, desired, 'apply'],
    [
      'finished if it is a Job that had finished and was deleted',
      { ...state, observation: finishedJob },
      deleted,
      desired,
      'finish',
    ],
    [
      'finished if it is a Job that had finished and is being deleted',
      { ...state, observation: finishedJob },
      present({ deletionTimestamp: '2026-01-01T00:00:00Z' }),
      desired,
      'finish',
    ],
    ['left alone after that', { ...state, ...absent, outcome: { kind: 'finished' } }, deleted, desired, 'none'],
    [
      'left alone after that until its watch is open',
      { ...state, ...absent, outcome: { kind: 'finished' } },
      unknown,
      desired,
      'none',
    ],
    [
      'applied after that if another writer creates it',
      { ...state, ...absent, outcome: { kind: 'finished' } },
      present(),
      desired,
      'apply',
    ],
    [
      'applied if the Job that finished is to be another',
      { ...state, observation: finishedJob },
      deleted,
      { ...desired, intent: 'other' },
      'apply',
    ],
  ])('%s', (_, known, cached, wanted, expected) => {
    expect(nextStep(known, wanted, { now: 100, generation: 7, cached, awaited: unknown })).toBe(expected);
  });

  it.each<[string, CachedMetadata, Step]>([
    ['left alone while its namespace is missing', deleted, 'none'],
    ['left alone while its namespace is being deleted', present({ deletionTimestamp: '2026-01-01T00:00:00Z' }), 'none'],
    ['applied as soon as its namespace exists', present(), 'apply'],
  ])('%s', (_, awaited, expected) => {
    const waiting = { ...state, ...absent, outcome: awaiting };
    expect(nextStep(waiting, desired, { now: 100, generation: 7, cached: deleted, awaited })).toBe(expected);
  });
});

it('five changes undone within ten minutes are a conflict of writers', () => {
  let repairs: number[] = [];
  for (const time of [0, 1, 2, 3]) repairs = repairsWith(repairs, time);
  expect(isConflict(repairs)).toBe(false);
  expect(isConflict(repairsWith(repairs, 4))).toBe(true);
  expect(isConflict(repairsWith(repairs, conflictWindowMs + 2))).toBe(false);
});
