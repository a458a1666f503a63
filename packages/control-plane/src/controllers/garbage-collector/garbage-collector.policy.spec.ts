import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide, type OwnedObject, type OwnerState } from './garbage-collector.policy.ts';

const owners = (...states: OwnerState[]): OwnedObject['owners'] =>
  states.map((state, index) => ({
    reference: { apiVersion: 'v1', kind: 'ConfigMap', name: `owner-${index}`, uid: `${index}` },
    state,
  }));

const object = (fields: Partial<OwnedObject>): OwnedObject => ({
  owners: [],
  hasDependents: false,
  inCircle: false,
  finalizers: [],
  ...fields,
});

const anyObject: fc.Arbitrary<OwnedObject> = fc.record({
  owners: fc
    .array(fc.constantFrom<OwnerState>('solid', 'waiting', 'absent', 'unknown'), { maxLength: 5 })
    .map((states) => owners(...states)),
  hasDependents: fc.boolean(),
  inCircle: fc.boolean(),
  finalizers: fc.subarray(['orphan', 'foregroundDeletion', 'example.com/hold']),
});

describe('what becomes of an object', () => {
  const cases: Record<string, [Partial<OwnedObject>, object]> = {
    'without owners it stays': [{}, { kind: 'keep' }],
    'with an owner it stays': [{ owners: owners('solid') }, { kind: 'keep' }],
    'with one owner left it drops the others': [
      { owners: owners('absent', 'solid', 'waiting') },
      { kind: 'disown', uids: ['0', '2'] },
    ],
    'with all owners gone it goes, and its dependents after it': [
      { owners: owners('absent', 'absent') },
      { kind: 'delete', policy: 'Background', unblock: false },
    ],
    'with dependents and a waiting owner it goes after its dependents': [
      { owners: owners('waiting'), hasDependents: true },
      { kind: 'delete', policy: 'Foreground', unblock: false },
    ],
    'in a circle it stops blocking first': [
      { owners: owners('waiting'), hasDependents: true, inCircle: true },
      { kind: 'delete', policy: 'Foreground', unblock: true },
    ],
    'it keeps to the way of deletion that it was given': [
      { owners: owners('absent'), finalizers: ['orphan'] },
      { kind: 'delete', policy: 'Orphan', unblock: false },
    ],
  };
  it.each(Object.entries(cases))('%s', (_name, [fields, expected]) => {
    expect(decide(object(fields))).toEqual(expected);
  });

  it('never is deletion while an owner stays or may be there', () => {
    fc.assert(
      fc.property(anyObject, (given) => {
        const mayStay = given.owners.some(({ state }) => state === 'solid' || state === 'unknown');
        expect(decide(given).kind === 'delete').toBe(given.owners.length > 0 && !mayStay);
      }),
    );
  });

  it('never loses a reference to an owner that exists', () => {
    fc.assert(
      fc.property(anyObject, (given) => {
        const decision = decide(given);
        if (decision.kind !== 'disown') return;
        for (const { reference, state } of given.owners) {
          expect(decision.uids.includes(reference.uid)).toBe(state === 'absent' || state === 'waiting');
        }
      }),
    );
  });
});
