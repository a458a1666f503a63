import { describe, expect, it } from 'vitest';
import type { ManifestFailure } from '../apply/failure.ts';
import type { ManifestResult } from '../status/manifest-status.ts';
import { nextSync, withRetryTimes } from './retry.policy.ts';

const result = (failure?: Partial<ManifestFailure>): ManifestResult => ({
  meta: { ordinal: 0 },
  presence: { kind: 'present' },
  ...(failure && { failure: { reason: 'AppliedManifestFailed', message: 'no', ...failure } }),
});
const calm = { hasErrors: false, retryMs: 400, isFollowed: true, pollMs: 10_000, random: 0 };

describe('a work is synced again', () => {
  it.each([
    ['slowly if all is well', [result()], calm, 600_000],
    ['soon if a manifest failed', [result(), result({})], calm, 400],
    ['soon if something could not be deleted', [result()], { ...calm, hasErrors: true }, 400],
    ['slowly if an event follows', [result({ waits: true })], calm, 600_000],
    ['at the time of a planned try', [result({ waits: true, retryAfterMs: 60_000 })], calm, 60_000],
    ['often if its objects are not watched', [result()], { ...calm, isFollowed: false }, 10_000],
  ])('%s', (_, results, moment, expected) => {
    expect(nextSync(results, moment).ms).toBe(expected);
  });
});

it.each([
  [100, '1s'],
  [5_000, '10s'],
  [30_000, '1m0s'],
  [250_000, '5m0s'],
])('a try in %i ms is reported as %s at most', (retryMs, duration) => {
  expect(withRetryTimes([result({})], retryMs)[0]?.failure?.message).toBe(`no, will try again in ${duration}`);
  expect(withRetryTimes([result({ waits: true })], retryMs)[0]?.failure?.message).toBe('no');
});
