import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesWildcard } from './wildcard.ts';

describe('[work 18.C-48] a wildcard', () => {
  it.each([
    ['my*', true],
    ['*my', false],
    ['*m*', true],
    ['*t', true],
    ['*', true],
    ['my-test', true],
    ['my-tes', false],
    ['m*-*t', true],
    ['my-test*my-test', false],
    ['m.-test', false],
    ['', false],
  ])('%s against my-test is %s', (pattern, matches) => {
    expect(matchesWildcard(pattern, 'my-test')).toBe(matches);
  });

  it('says the same as a regular expression that is anchored at both ends', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), maxLength: 8 });
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 12 });
    fc.assert(
      fc.property(piece, text, (pattern, value) => {
        const expression = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
        expect(matchesWildcard(pattern, value)).toBe(expression.test(value));
      }),
    );
  });

  it('is matched in linear time where a regular expression would try all splits', () => {
    expect(matchesWildcard(`${'a*'.repeat(500)}b`, 'a'.repeat(5000))).toBe(false);
  });
});
