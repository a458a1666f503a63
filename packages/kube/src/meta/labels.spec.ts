import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatLabelSelector, type LabelSelector, matchesLabels, parseLabelSelector } from './labels.ts';

const key = fc.constantFrom('app', 'tier', 'x.io/env', 'in', 'notin');
const value = fc.constantFrom('', 'a', 'b', 'front-1', 'in');
const labels = fc.dictionary(key, value);
const values = fc.uniqueArray(value, { minLength: 1 });
const requirement = fc.oneof(
  fc.record({ key, operator: fc.constantFrom('In', 'NotIn'), values }),
  fc.record({ key, operator: fc.constantFrom('Exists', 'DoesNotExist') }),
);
const selector: fc.Arbitrary<LabelSelector> = fc.record(
  { matchLabels: labels, matchExpressions: fc.array(requirement) },
  { requiredKeys: [] },
);

describe('a label selector', () => {
  it.each<[string, LabelSelector | undefined, Record<string, string>, boolean]>([
    ['an absent one matches nothing', undefined, {}, false],
    ['an empty one matches all labels', {}, { a: 'b' }, true],
    ['labels must all match', { matchLabels: { a: '1', b: '2' } }, { a: '1', b: '2', c: '3' }, true],
    ['one label off is off', { matchLabels: { a: '1', b: '2' } }, { a: '1' }, false],
    ['In needs the label', { matchExpressions: [{ key: 'a', operator: 'In', values: ['1'] }] }, {}, false],
    ['NotIn does not', { matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['1'] }] }, {}, true],
    [
      'NotIn refuses its values',
      { matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['1'] }] },
      { a: '1' },
      false,
    ],
    ['Exists takes any value', { matchExpressions: [{ key: 'a', operator: 'Exists' }] }, { a: '' }, true],
    ['DoesNotExist takes none', { matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] }, { a: '' }, false],
    [
      'names of object methods are not labels',
      { matchExpressions: [{ key: 'toString', operator: 'Exists' }] },
      {},
      false,
    ],
  ])('%s', (_what, given, actual, expected) => {
    expect(matchesLabels(given, actual)).toBe(expected);
  });

  it('means the same after it was written and read', () => {
    fc.assert(
      fc.property(selector, labels, (given, actual) => {
        expect(matchesLabels(parseLabelSelector(formatLabelSelector(given)), actual)).toBe(
          matchesLabels(given, actual),
        );
      }),
    );
  });

  it.each<[string, LabelSelector['matchExpressions']]>([
    ['a=b', [{ key: 'a', operator: 'In', values: ['b'] }]],
    ['a == b', [{ key: 'a', operator: 'In', values: ['b'] }]],
    ['a!=b', [{ key: 'a', operator: 'NotIn', values: ['b'] }]],
    ['a=', [{ key: 'a', operator: 'In', values: [''] }]],
    ['a', [{ key: 'a', operator: 'Exists', values: [] }]],
    ['!a', [{ key: 'a', operator: 'DoesNotExist', values: [] }]],
    [
      ' x.io/a in ( b , c ) , d notin (e),f',
      [
        { key: 'x.io/a', operator: 'In', values: ['b', 'c'] },
        { key: 'd', operator: 'NotIn', values: ['e'] },
        { key: 'f', operator: 'Exists', values: [] },
      ],
    ],
  ])('reads %j', (text, expected) => {
    expect(parseLabelSelector(text).matchExpressions).toEqual(expected);
  });

  it('reads an empty text as a selector of all', () => {
    expect(parseLabelSelector(' ')).toEqual({});
  });

  it.each(['a b', '=b', 'a=b=c', 'a in b', 'a in (b', ',', 'a,,b', 'a=b c', '-a=b', 'a>1', 'a=-'])(
    'refuses %j',
    (text) => {
      expect(() => parseLabelSelector(text)).toThrow('BadRequest');
    },
  );

  it.each([
    [{ key: 'a', operator: 'in', values: ['b'] }, 'operator "in"'],
    [{ key: 'a', operator: 'In', values: [] }, 'at least one value'],
    [{ key: 'a', operator: 'Exists', values: ['b'] }, 'no values'],
    [{ key: '', operator: 'Exists' }, 'not a label key'],
    [{ key: 'a', operator: 'In', values: ['x y'] }, '"x y"'],
  ])('refuses the expression %j', (expression, named) => {
    expect(() => matchesLabels({ matchExpressions: [expression] }, {})).toThrow(named);
  });
});
