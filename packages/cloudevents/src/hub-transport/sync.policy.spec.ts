import { KubeError } from '@flotilla/kube';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextStep, outOfStep, type SyncEvent, type SyncState } from './sync.policy.ts';

const error = new KubeError('Timeout', 'publish: DEADLINE_EXCEEDED');
const unsubscribed: SyncState = { kind: 'unsubscribed' };
const after = (events: readonly SyncEvent[], random = 0) => {
  let state: SyncState = unsubscribed;
  let step: ReturnType<typeof nextStep>;
  for (const event of events) {
    step = nextStep(state, event, random);
    state = step?.state ?? state;
  }
  return { state, step };
};
const subscribed: SyncEvent = { type: 'subscribed' };
const refused: SyncEvent = { type: 'refused', error };
const completed: SyncEvent = { type: 'completed' };
const due: SyncEvent = { type: 'due' };
const missed: SyncEvent = { type: 'missed' };
const lost: SyncEvent = { type: 'lost', error };
const closed: SyncEvent = { type: 'closed' };

describe('a replica', () => {
  it.each<[string, readonly SyncEvent[], ReturnType<typeof nextStep>]>([
    ['asks when its stream opens', [subscribed], { state: { kind: 'syncing', failures: 0 }, asks: true }],
    [
      'is synced when the answers are complete, and asks again ten minutes later',
      [subscribed, completed],
      { state: { kind: 'synced', failures: 0 }, dueAfterMs: 540_000 },
    ],
    [
      'waits before it asks again if the hub refuses',
      [subscribed, refused],
      { state: { kind: 'retrying', failures: 1, error }, dueAfterMs: 500 },
    ],
    [
      'waits longer each time',
      [subscribed, refused, due, refused, due, refused],
      { state: { kind: 'retrying', failures: 3, error }, dueAfterMs: 2000 },
    ],
    [
      'asks again when the wait is over',
      [subscribed, refused, due],
      { state: { kind: 'syncing', failures: 1, error }, asks: true },
    ],
    [
      'stays readable while a later resync fails, and repeats it soon',
      [subscribed, completed, due, refused],
      { state: { kind: 'synced', failures: 1 }, dueAfterMs: 500 },
    ],
    [
      'asks for events that were lost',
      [subscribed, completed, missed],
      { state: { kind: 'synced', failures: 0 }, asks: true },
    ],
    [
      'is not readable when its stream is lost',
      [subscribed, completed, lost],
      { state: { kind: 'unsubscribed', error } },
    ],
    ['does nothing without a stream', [subscribed, lost, due], undefined],
    ['does nothing once it is closed', [subscribed, closed, subscribed], undefined],
  ])('%s', (_, events, expected) => {
    expect(after(events).step).toEqual(expected);
  });

  it('is out of step from the first failed resync to the next complete one', () => {
    expect(outOfStep(after([subscribed]).state)).toBeUndefined();
    expect(outOfStep(after([subscribed, refused]).state)).toBe(error);
    expect(outOfStep(after([subscribed, refused, due]).state)).toBe(error);
    expect(outOfStep(after([subscribed, refused, due, completed]).state)).toBeUndefined();
  });

  it('always has a resync under way or due while its stream is open, whatever happens', () => {
    const event = fc.constantFrom(subscribed, refused, completed, due, missed, lost);
    const cases = fc.property(
      fc.array(event, { maxLength: 50 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (events, random) => {
        let state: SyncState = unsubscribed;
        let pending = false;
        for (const each of events) {
          const step = nextStep(state, each, random);
          if (!step) continue;
          state = step.state;
          pending = step.asks === true || step.dueAfterMs !== undefined;
          if (step.dueAfterMs !== undefined) expect(step.dueAfterMs).toBeLessThanOrEqual(11 * 60_000);
          expect(pending).toBe(state.kind !== 'unsubscribed');
        }
      },
    );
    fc.assert(cases);
  });
});
