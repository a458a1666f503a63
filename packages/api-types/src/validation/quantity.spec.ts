import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalQuantity, compareQuantities, parseQuantity } from './quantity.ts';

describe('canonicalQuantity', () => {
  it.each([
    ['a whole number keeps its form', '5', '5'],
    ['thousands get a suffix', '1000', '1k'],
    ['a thousand thousandths are one', '1000m', '1'],
    ['a fraction becomes thousandths', '0.5', '500m'],
    ['binary suffixes stay binary', '1024Mi', '1Gi'],
    ['a binary fraction becomes the next smaller suffix', '0.5Gi', '512Mi'],
    ['what is no multiple of a suffix keeps the smaller one', '1000Mi', '1000Mi'],
    ['exponents stay exponents', '1e3', '1e3'],
    ['nothing is zero, whatever it is counted in', '0Mi', '0'],
    ['negative amounts keep their sign', '-1500m', '-1500m'],
    ['less than a billionth is rounded up', '0.0000000001', '1n'],
  ])('%s', (_what, given, expected) => {
    expect(canonicalQuantity(given)).toBe(expected);
  });

  it('writes the same amount, and writes it only one way', () => {
    const suffix = fc.constantFrom('', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e3');
    fc.assert(
      fc.property(fc.integer({ min: -9999999, max: 9999999 }), suffix, (count, unit) => {
        const once = canonicalQuantity(`${count}${unit}`);
        expect(compareQuantities(once, `${count}${unit}`)).toBe(0);
        expect(canonicalQuantity(once)).toBe(once);
      }),
    );
  });
});

describe('parseQuantity', () => {
  it.each([
    ['words are no quantity', 'abc', /must match the regular expression/],
    ['an unknown letter is no suffix', '1x', /must match the regular expression/],
    ['two suffixes are none', '1Mk', /unable to parse quantity's suffix/],
    ['nothing is no quantity', '', /must match the regular expression/],
  ])('%s', (_what, given, problem) => {
    expect(parseQuantity(given).problem).toMatch(problem);
  });
});
