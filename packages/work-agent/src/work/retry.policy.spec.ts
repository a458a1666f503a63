import { describe, expect, it } from 'vitest';
import type { ManifestFailure } from '../apply/failure.ts';
import { failedOutcome, nextSync, withRetryTime } from './retry.policy.ts';

const failure: ManifestFailure = { reason: 'AppliedManifestFailed', message: 'no' };
const calm = { retriesMs: [], isFollowed: true, pollMs: 10_000, random: 0 };

describe('a work is synced again', () => {
  it.each([
    ['slowly if all is well', calm, 600_000],
    ['at the time of the next try', { ...calm, retriesMs: [60_000, 400] }, 400],
    ['often if its objects are not watched', { ...calm, isFollowed: false }, 10_000],
    ['not later for a try that is far away', { ...calm, isFollowed: false, retriesMs: [60_000] }, 10_000],
  ])('%s', (_, moment, expected) => {
    expect(nextSync(moment).ms).toBe(expected);
  });
});

it.each([
  [100, '1s'],
  [5_000, '10s'],
  [30_000, '1m0s'],
  [250_000, '5m0s'],
])('a try in %i ms is reported as %s at most', (retryMs, duration) => {
  expect(withRetryTime(failure, retryMs).message).toBe(`no, will try again in ${duration}`);
  expect(withRetryTime({ ...failure, waits: true }, retryMs).message).toBe('no');
});

describe('a manifest that fails', () => {
  const moment = { now: 1_000, generation: 1, random: 1 };
  const before = failedOutcome(failure, undefined, moment);

  it('is tried again soon', () => {
    expect(before).toMatchObject({ failures: 1, retryAt: 1_100 });
  });

  it('is tried again later with each try that was due', () => {
    expect(failedOutcome(failure, before, { ...moment, now: 1_100 })).toMatchObject({ failures: 2, retryAt: 1_300 });
  });

  it('is tried again soon when its object was the reason to try it', () => {
    expect(failedOutcome(failure, before, { ...moment, now: 1_050 })).toMatchObject({ failures: 1, retryAt: 1_150 });
  });

  it('is tried again soon for a new generation of the work', () => {
    expect(failedOutcome(failure, before, { ...moment, now: 1_100, generation: 2 })).toMatchObject({ failures: 1 });
  });

  it('is tried again after five minutes at most, and after half a minute when the cluster did not answer', () => {
    const often = { ...before, failures: 30 };
    expect(failedOutcome(failure, often, { ...moment, now: 2_000 }).retryAt).toBe(302_000);
    expect(failedOutcome({ ...failure, isOutage: true }, often, { ...moment, now: 2_000 }).retryAt).toBe(32_000);
  });

  it('is tried again after a while should the event that it waits for be missed', () => {
    expect(failedOutcome({ ...failure, waits: true }, undefined, moment).retryAt).toBe(601_000);
    expect(failedOutcome({ ...failure, waits: true, retryAfterMs: 60_000 }, undefined, moment).retryAt).toBe(61_000);
  });
});
