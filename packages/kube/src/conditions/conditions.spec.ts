import type { Condition } from '@flotilla/schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ConditionInput,
  conditionsEqual,
  findCondition,
  isConditionFalse,
  isConditionTrue,
  removeCondition,
  setCondition,
  setConditions,
} from './conditions.ts';

const early = Date.parse('2026-01-01T00:00:00Z');
const late = Date.parse('2026-01-01T01:00:00Z');
const available: ConditionInput = { type: 'Available', status: 'True', reason: 'Ready', message: 'all well' };
const joined: ConditionInput = { type: 'Joined', status: 'True', reason: 'Joined', message: '' };
const before = setConditions([], [available, joined], early);

describe('setting a condition', () => {
  it('adds a new type at the end, with the time', () => {
    expect(setCondition(undefined, available, early)).toEqual([
      { ...available, lastTransitionTime: '2026-01-01T00:00:00Z' },
    ]);
    expect(before.map(({ type }) => type)).toEqual(['Available', 'Joined']);
  });

  it('returns the same list if it says so already', () => {
    expect(setCondition(before, { ...available }, late)).toBe(before);
    expect(setConditions(before, [joined, available], late)).toBe(before);
  });

  it('keeps the time of the transition if only the words change', () => {
    const [changed] = setCondition(before, { ...available, message: 'still well' }, late);
    expect(changed).toMatchObject({ message: 'still well', lastTransitionTime: '2026-01-01T00:00:00Z' });
  });

  it('takes the time when the status changes, and keeps the place', () => {
    const after = setCondition(before, { ...available, status: 'Unknown' }, late);
    expect(after[0]).toMatchObject({
      type: 'Available',
      status: 'Unknown',
      lastTransitionTime: '2026-01-01T01:00:00Z',
    });
    expect(after[1]).toBe(before[1]);
    expect(before[0]?.status).toBe('True');
  });

  it('counts a newer generation as a change, but not of the status', () => {
    const [changed] = setCondition(before, { ...available, observedGeneration: 2 }, late);
    expect(changed).toMatchObject({ observedGeneration: 2, lastTransitionTime: '2026-01-01T00:00:00Z' });
  });
});

describe('conditions', () => {
  const input = fc.record({
    type: fc.constantFrom('A', 'B', 'C'),
    status: fc.constantFrom<Condition['status'][]>('True', 'False', 'Unknown'),
    reason: fc.constantFrom('R', 'S'),
    message: fc.constantFrom('', 'm'),
  });
  const steps = fc.array(fc.tuple(input, fc.nat({ max: 1e6 })));

  it('never repeat a type, never move, and change their time only with their status', () => {
    fc.assert(
      fc.property(steps, (all) => {
        let list: readonly Condition[] = [];
        for (const [given, now] of all) {
          const next = setCondition(list, given, now);
          expect(next.slice(0, list.length).map(({ type }) => type)).toEqual(list.map(({ type }) => type));
          expect(new Set(next.map(({ type }) => type)).size).toBe(next.length);
          for (const condition of next) {
            const old = findCondition(list, condition.type);
            if (old?.status === condition.status) expect(condition.lastTransitionTime).toBe(old.lastTransitionTime);
            if (condition.type !== given.type) expect(condition).toBe(old);
          }
          expect(setCondition(next, given, now + 5000)).toBe(next);
          list = next;
        }
      }),
    );
  });

  it('are equal in any order, but not with any difference', () => {
    expect(conditionsEqual(before, [...before].reverse())).toBe(true);
    expect(conditionsEqual(undefined, [])).toBe(true);
    for (const change of [{ status: 'False' as const }, { reason: 'X' }, { message: 'x' }, { observedGeneration: 1 }]) {
      expect(conditionsEqual(before, setCondition(before, { ...available, ...change }, early))).toBe(false);
    }
    expect(conditionsEqual(before, removeCondition(before, 'Joined'))).toBe(false);
  });

  it('are true or false only if they say so', () => {
    const list = setCondition(before, { ...joined, status: 'Unknown' }, late);
    expect([isConditionTrue(list, 'Available'), isConditionFalse(list, 'Available')]).toEqual([true, false]);
    expect([isConditionTrue(list, 'Joined'), isConditionFalse(list, 'Joined')]).toEqual([false, false]);
    expect([isConditionTrue(undefined, 'Joined'), isConditionFalse([], 'Joined')]).toEqual([false, false]);
  });

  it('can be removed', () => {
    expect(removeCondition(before, 'Available')).toEqual([before[1]]);
    expect(removeCondition(before, 'Absent')).toBe(before);
  });
});
