import { timeAfter } from '@flotilla/kube/clock';
import { FakeClock } from '@flotilla/kube/testing';
import { describe, expect, it } from 'vitest';
import { type Damping, damp } from './health.policy.ts';

const times = { failureMs: 6000, successMs: 4000 };

const start = new FakeClock().monotonic();
const at = (ms: number) => timeAfter(start, ms);

/** What is reported after observations, each with its time in seconds. */
function reportedAfter(
  ...observations: readonly (readonly [healthy: boolean, seconds: number])[]
): boolean | undefined {
  let state: Damping = {};
  for (const [healthy, seconds] of observations)
    state = damp(state, healthy, at(seconds * 1000), at(seconds * 1000), times);
  return state.reported;
}

describe('the health of a member', () => {
  it.each([
    ['is reported at once when it is observed first, if it is good', true, [[true, 0]]],
    ['is reported at once when it is observed first, if it is bad', false, [[false, 0]]],
    [
      'is not reported bad after one failure',
      true,
      [
        [true, 0],
        [false, 5],
      ],
    ],
    [
      'is not reported bad before the threshold',
      true,
      [
        [true, 0],
        [false, 5],
        [false, 10],
      ],
    ],
    [
      'is reported bad when it has failed for the threshold',
      false,
      [
        [true, 0],
        [false, 5],
        [false, 11],
      ],
    ],
    [
      'begins to count anew after a success',
      true,
      [
        [true, 0],
        [false, 5],
        [true, 8],
        [false, 9],
        [false, 14],
      ],
    ],
    [
      'is not reported good before the threshold',
      false,
      [
        [false, 0],
        [true, 5],
        [true, 8],
      ],
    ],
    [
      'is reported good when it has answered for the threshold',
      true,
      [
        [false, 0],
        [true, 5],
        [true, 9],
      ],
    ],
  ] as const)('%s', (_, expected, observations) => {
    expect(reportedAfter(...observations)).toBe(expected);
  });

  it('counts from the moment at which the failed check began', () => {
    const good = damp({}, true, at(0), at(0), times);
    // It waited three seconds for an answer, twice.
    const first = damp(good, false, at(5000), at(8000), times);
    expect(first.reported).toBe(true);
    expect(damp(first, false, at(9000), at(12_000), times).reported).toBe(false);
  });
});
