import { configMaps } from '@flotilla/kube/kinds';
import type { ObjectMeta } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import type { CachedMetadata } from '../watch/kind-watch.ts';
import { conflictWindowMs, isConflict, repairsWith } from './conflicting-writer.ts';
import { type Desired, nextStep, type Step } from './next-step.policy.ts';
import type { ObjectState } from './object-state.ts';

const owner = { apiVersion: 'work.open-cluster-management.io/v1', kind: 'AppliedManifestWork', name: 'w', uid: 'o' };
const metadata: ObjectMeta = { uid: 'u', resourceVersion: '5', generation: 1, ownerReferences: [owner] };
const state: ObjectState = {
  target: { type: configMaps, key: 'ns/n' },
  meta: { ordinal: 0 },
  intent: 'as ordered',
  isFrozen: false,
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
  metadata: { ownerReferences: [owner] },
  strategy: 'Update',
  isFrozen: false,
};
const present = (parts: ObjectMeta = {}): CachedMetadata => ({ kind: 'present', metadata: { ...metadata, ...parts } });
const deleted: CachedMetadata = { kind: 'deleted', resourceVersion: '9' };
const unknown: CachedMetadata = { kind: 'unknown' };
const newer = present({ resourceVersion: '6' });
const failure = { reason: 'AppliedManifestFailed', message: 'no' } as const;

describe('what is done about an object', () => {
  it.each<[string, ObjectState | undefined, CachedMetadata, Desired, Step]>([
    ['nothing if it is as it was', state, present(), desired, 'none'],
    ['applied if it is not known', undefined, present(), desired, 'apply'],
    ['applied if the hub wants something else', state, present(), { ...desired, intent: 'other' }, 'apply'],
    ['applied if it failed', { ...state, failure }, present(), desired, 'apply'],
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
    ['applied if it is complete no more', { ...state, isFrozen: true }, present(), desired, 'apply'],
    ['read while another writer is left alone', { ...state, failure, pausedUntil: 200 }, newer, desired, 'observe'],
    ['applied after that', { ...state, failure, pausedUntil: 50 }, newer, desired, 'apply'],
  ])('%s', (_, known, cached, wanted, expected) => {
    expect(nextStep(known, cached, wanted, 100)).toBe(expected);
  });
});

it('five changes undone within ten minutes are a conflict of writers', () => {
  let repairs: number[] = [];
  for (const time of [0, 1, 2, 3]) repairs = repairsWith(repairs, time);
  expect(isConflict(repairs)).toBe(false);
  expect(isConflict(repairsWith(repairs, 4))).toBe(true);
  expect(isConflict(repairsWith(repairs, conflictWindowMs + 2))).toBe(false);
});
