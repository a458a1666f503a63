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
    ['empty in ()', true],
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

  it.each([
    ['a_/b=c', 'unable to parse requirement: <nil>: Invalid value: "a_/b": prefix part a lowercase'],
    ['a=-', 'unable to parse requirement: values[0]: Invalid value: "-": a valid label must be'],
    ['a>b', "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators"],
  ])('refuses the key or value of %j in the words of the API server', (text, message) => {
    expect(() => parseQuerySelector(text)).toThrow(message);
  });
});
