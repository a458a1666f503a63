import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { semanticEqual } from './equality.ts';

const shuffled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([field, inner]): [string, unknown] => [field, shuffled(inner)]);
  return { ...Object.fromEntries(entries.reverse()), 'absent-or-empty': [] };
};

describe('two values are equal', () => {
  it.each([
    ['null and absence', { a: null }, {}],
    ['an empty list and absence', { a: [] }, {}],
    ['an empty list and null', [], null],
    ['other orders of fields', { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
  ])('with %s', (_what, a, b) => {
    expect(semanticEqual(a, b)).toBe(true);
    expect(semanticEqual(b, a)).toBe(true);
  });

  it.each([
    ['an empty map and absence', { emptyDir: {} }, {}],
    ['an empty string and absence', { a: '' }, {}],
    ['zero and absence', { a: 0 }, {}],
    ['false and absence', { a: false }, {}],
    ['other orders of items', { a: [1, 2] }, { a: [2, 1] }],
    ['a list and a map', { a: [1] }, { a: { 0: 1 } }],
    ['other quantities', { a: '1' }, { a: '1000m' }],
    ['a field more', { a: 1, b: 1 }, { a: 1 }],
  ])('but not with %s', (_what, a, b) => {
    expect(semanticEqual(a, b)).toBe(false);
    expect(semanticEqual(b, a)).toBe(false);
  });

  it('whatever the order and the empty fields', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => semanticEqual(value, shuffled(value))));
  });

  it('and only then: for values without anything empty it is equality of JSON', () => {
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        fc.integer(),
        fc.string(),
        fc.boolean(),
        fc.array(tie('node'), { minLength: 1 }),
        fc.dictionary(fc.string(), tie('node'), { minKeys: 1 }),
      ),
    })).node;
    const sorted = (input: unknown): unknown => {
      if (Array.isArray(input)) return input.map(sorted);
      if (typeof input !== 'object' || input === null) return input;
      return Object.entries(input)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([field, inner]) => [field, sorted(inner)]);
    };
    const shape = (input: unknown) => JSON.stringify([Array.isArray(input), typeof input, sorted(input)]);
    fc.assert(fc.property(value, value, (a, b) => !semanticEqual(a, b) || shape(a) === shape(b)));
  });
});
