import fc from 'fast-check';
import { expect, it } from 'vitest';
import { backoffMs } from './backoff.ts';

const backoff = { baseMs: 100, maxMs: 30_000 };

it('doubles with each failure up to the limit', () => {
  expect([1, 2, 3, 4, 9, 10, 11].map((failures) => backoffMs(backoff, failures, 1))).toEqual([
    100, 200, 400, 800, 25_600, 30_000, 30_000,
  ]);
});

it('stays in the upper half of its step for any number of failures', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5000 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (failures, random) => {
        const full = backoffMs(backoff, failures, 1);
        const delay = backoffMs(backoff, failures, random);
        expect(delay).toBeGreaterThanOrEqual(full / 2);
        expect(delay).toBeLessThanOrEqual(backoff.maxMs);
      },
    ),
  );
});
