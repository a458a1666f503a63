import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isNotNewer } from './resource-version.ts';

it('compares resource versions as numbers of any size', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 70n }), fc.bigInt({ min: 0n, max: 2n ** 70n }), (a, b) => {
      expect(isNotNewer(String(a), String(b))).toBe(a <= b);
    }),
  );
});

it('takes what it cannot compare for newer, unless both are the same', () => {
  expect(isNotNewer('abc', '5')).toBe(false);
  expect(isNotNewer('5', 'abc')).toBe(false);
  expect(isNotNewer('05', '7')).toBe(false);
  expect(isNotNewer(undefined, '7')).toBe(false);
  expect(isNotNewer('7', undefined)).toBe(false);
  expect(isNotNewer('abc', 'abc')).toBe(true);
});
