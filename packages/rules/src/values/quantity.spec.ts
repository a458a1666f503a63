import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { acceptableMs, longestTurn } from '../testing/index.ts';
import { addQuantities, canonicalQuantity, compareQuantities, parseQuantity, subtractQuantities } from './quantity.ts';

describe('canonicalQuantity', () => {
  it.each([
    ['a whole number keeps its form', '5', '5'],
    ['thousands get a suffix', '1000', '1k'],
    ['a thousand thousandths are one', '1000m', '1'],
    ['a fraction becomes thousandths', '0.5', '500m'],
    ['binary suffixes stay binary', '1024Mi', '1Gi'],
    ['a binary fraction becomes the next smaller suffix', '0.5Gi', '512Mi'],
    ['what is not a multiple of a suffix keeps the smaller one', '1000Mi', '1000Mi'],
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
    ['words are not a quantity', 'abc', /must match the regular expression/],
    ['an unknown letter is not a suffix', '1x', /must match the regular expression/],
    ['two suffixes are none', '1Mk', /unable to parse quantity's suffix/],
    ['an empty string is not a quantity', '', /must match the regular expression/],
  ])('%s', (_what, given, error) => {
    expect(parseQuantity(given).error).toMatch(error);
  });
});

describe('a quantity of a million digits', () => {
  const nines = '9'.repeat(1_000_000);
  const zeros = '0'.repeat(1_000_000);
  const cases: readonly (readonly [given: string, expected: string])[] = [
    [nines, canonicalQuantity('9e30')],
    [`${nines}e-999`, canonicalQuantity('9e30')],
    [`${zeros}5`, '5'],
    [`0.${zeros}9`, '1n'],
    [`0.${nines}`, '1'],
    [`0.${zeros}9e999`, canonicalQuantity('1e-9')],
    [`-${zeros}1.5${zeros}`, '-1500m'],
  ];

  it.each(cases)('is read exactly (%#)', (given, expected) => {
    expect(compareQuantities(given, expected)).toBe(0);
  });

  it('does not hold up the event loop', async () => {
    expect(await longestTurn(() => cases.map(([given]) => parseQuantity(given)))).toBeLessThan(acceptableMs);
  });
});

describe('addQuantities', () => {
  it.each([
    ['counts add up', '1', '2', '3'],
    ['a sum keeps the suffixes of its first part', '1Gi', '1G', '2073741824'],
    ['nothing takes the suffixes of what is added', '0', '512Mi', '512Mi'],
    ['thousandths become a whole', '500m', '0.5', '1'],
    ['what is not a quantity counts as zero', 'x', '5', '5'],
  ])('%s', (_what, left, right, sum) => {
    expect(addQuantities(left, right)).toBe(sum);
  });

  it('is undone by subtractQuantities', () => {
    const quantity = fc
      .tuple(fc.integer({ min: 1, max: 99999 }), fc.constantFrom('', 'm', 'k', 'Mi'))
      .map(([count, suffix]) => canonicalQuantity(`${count}${suffix}`));
    fc.assert(
      fc.property(quantity, quantity, (left, right) => {
        expect(compareQuantities(subtractQuantities(addQuantities(left, right), right), left)).toBe(0);
      }),
    );
  });
});
