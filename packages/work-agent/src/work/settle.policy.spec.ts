import type { ObjectMeta } from '@flotilla/api-types';
import { configMaps } from '@flotilla/kube';
import { describe, expect, it } from 'vitest';
import type { Sighting } from '../watch/kind-watch.ts';
import type { ObjectRecord } from './memory.ts';
import { type Desire, isRivalry, nextStep, repairsWith, rivalryWindowMs, type Step } from './settle.policy.ts';

const owner = { apiVersion: 'work.open-cluster-management.io/v1', kind: 'AppliedManifestWork', name: 'w', uid: 'o' };
const metadata: ObjectMeta = { uid: 'u', resourceVersion: '5', generation: 1, ownerReferences: [owner] };
const record: ObjectRecord = {
  target: { type: configMaps as never, key: 'ns/n' },
  meta: { ordinal: 0 },
  intent: 'as ordered',
  isFrozen: false,
  uid: 'u',
  resourceVersion: '5',
  generation: 1,
  rules: '',
  repairs: [],
};
const desire: Desire = {
  intent: 'as ordered',
  rules: '',
  metadata: { ownerReferences: [owner] },
  strategy: 'Update',
  isFrozen: false,
};
const seen = (parts: ObjectMeta = {}): Sighting => ({ kind: 'seen', metadata: { ...metadata, ...parts } });
const gone: Sighting = { kind: 'gone', resourceVersion: '9' };
const unknown: Sighting = { kind: 'unknown' };
const newer = seen({ resourceVersion: '6' });
const failure = { reason: 'AppliedManifestFailed', message: 'no' } as const;

describe('what is done about an object', () => {
  it.each<[string, ObjectRecord | undefined, Sighting, Desire, Step]>([
    ['nothing if it is as it was', record, seen(), desire, 'rest'],
    ['applied if it is not known', undefined, seen(), desire, 'apply'],
    ['applied if the hub wants something else', record, seen(), { ...desire, intent: 'other' }, 'apply'],
    ['applied if it failed', { ...record, failure }, seen(), desire, 'apply'],
    ['applied if nobody tells about it', record, unknown, desire, 'apply'],
    ['applied if it is gone', record, gone, desire, 'apply'],
    ['applied if it is another of its name', record, seen({ uid: 'other' }), desire, 'apply'],
    ['applied if its body changed', record, seen({ resourceVersion: '6', generation: 2 }), desire, 'apply'],
    [
      'applied if its kind has no generation to tell',
      { ...record, generation: undefined },
      seen({ resourceVersion: '6', generation: undefined }),
      desire,
      'apply',
    ],
    ['applied if it lost its owner', record, seen({ resourceVersion: '6', ownerReferences: [] }), desire, 'apply'],
    ['noted if only its status changed', record, newer, desire, 'note'],
    [
      'read if its status changed and a rule looks at it',
      { ...record, rules: 'r' },
      newer,
      { ...desire, rules: 'r' },
      'look',
    ],
    ['read if only the rules changed', record, seen(), { ...desire, rules: 'r' }, 'look'],
    [
      'noted if its body changed and is only created',
      { ...record, generation: undefined },
      seen({ resourceVersion: '6', generation: undefined }),
      { ...desire, strategy: 'CreateOnly' },
      'note',
    ],
    ['read and never written if it is read-only', undefined, unknown, { ...desire, strategy: 'ReadOnly' }, 'look'],
    [
      'read and not written if it is complete',
      record,
      seen({ resourceVersion: '6', generation: 2 }),
      { ...desire, rules: 'r', isFrozen: true },
      'look',
    ],
    [
      'left alone if it is complete and gone',
      { ...record, uid: undefined },
      gone,
      { ...desire, isFrozen: true },
      'rest',
    ],
    ['applied if it is complete no more', { ...record, isFrozen: true }, seen(), desire, 'apply'],
    ['read while another writer is left alone', { ...record, failure, pausedUntil: 200 }, newer, desire, 'look'],
    ['applied after that', { ...record, failure, pausedUntil: 50 }, newer, desire, 'apply'],
  ])('%s', (_, known, sighting, wanted, expected) => {
    expect(nextStep(known, sighting, wanted, 100)).toBe(expected);
  });
});

it('five changes undone within ten minutes are a rivalry', () => {
  let repairs: number[] = [];
  for (const time of [0, 1, 2, 3]) repairs = repairsWith(repairs, time);
  expect(isRivalry(repairs)).toBe(false);
  expect(isRivalry(repairsWith(repairs, 4))).toBe(true);
  expect(isRivalry(repairsWith(repairs, rivalryWindowMs + 2))).toBe(false);
});
