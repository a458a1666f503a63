import { matchesLabels, parseLabelSelector } from '@flotilla/kube/meta';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQuerySelector } from './label-selector.ts';

const labels = { app: 'web', tier: '3', empty: '' };

describe('parseQuerySelector', () => {
  it.each([
    ['', true],
    ['app', true],
    ['!app', false],
    ['app=web,tier', true],
    ['app == web', true],
    ['app!=web', false],
    ['none!=web', true],
    ['app in (api, web)', true],
    ['app notin (api,web)', false],
    ['app in ()', false],
    ['empty=', true],
    ['empty in (,x)', true],
    ['tier>2', true],
    ['tier<3', false],
    ['app>2', false],
  ])('%j matches: %s', (text, expected) => {
    expect(parseQuerySelector(text)(labels)).toBe(expected);
  });

  it.each([
    ['=a', "found '=', expected: !, identifier, or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a!b', "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"],
  ])('refuses %j in the words of the API server', (text, message) => {
    expect(() => parseQuerySelector(text)).toThrow(new SyntaxError(message));
  });

  it('agrees with the selectors of clients where they can say the same', () => {
    const word = fc.constantFrom('a', 'b', 'app', 'x.example/y');
    const value = fc.constantFrom('a', 'b', 'web', '1');
    const term = fc.oneof(
      word,
      word.map((key) => `!${key}`),
      fc.tuple(word, fc.constantFrom('=', '==', '!='), value).map((parts) => parts.join('')),
      fc
        .tuple(word, fc.constantFrom('in', 'notin'), fc.array(value, { minLength: 1 }))
        .map(([key, operator, values]) => `${key} ${operator} (${values.join(',')})`),
    );
    fc.assert(
      fc.property(fc.array(term, { minLength: 1, maxLength: 3 }), fc.dictionary(word, value), (terms, object) => {
        const text = terms.join(',');
        expect(parseQuerySelector(text)(object)).toBe(matchesLabels(parseLabelSelector(text), object));
      }),
    );
  });
});
