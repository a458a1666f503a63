import { describe, expect, it } from 'vitest';
import { type LabelRequirement, meetsRequirement } from './labels.ts';
import { parseToRequirements } from './parse-to-requirements.ts';

const parse = (text: string) => parseToRequirements(text, { checkKey() {}, checkRequirement() {} });

describe('parseToRequirements', () => {
  it.each<[string, LabelRequirement[]]>([
    ['', []],
    ['a>1,b<2', [requirement('a', 'Gt', '1'), requirement('b', 'Lt', '2')]],
    ['a in (c,b,b)', [requirement('a', 'In', 'b', 'c')]],
    ['a notin ()', [requirement('a', 'NotIn', '')]],
    ['in in (in)', [requirement('in', 'In', 'in')]],
  ])('reads %j', (text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  it.each([
    ['=a', "found '=', expected: !, identifier, or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['a toString b', "unable to parse requirement: found 'toString', expected: in, notin, =, ==, !=, gt, lt"],
  ])('refuses %j in the words of the API server', (text, message) => {
    expect(() => parse(text)).toThrow(new SyntaxError(message));
  });

  it('checks a key before it reads on', () => {
    const checks = {
      checkKey(key: string) {
        throw new SyntaxError(`key ${key}`);
      },
      checkRequirement() {},
    };
    expect(() => parseToRequirements('a ? b', checks)).toThrow('unable to parse requirement: key a');
  });
});

it.each([
  ['a greater integer', 'Gt', '3', true],
  ['an equal integer', 'Gt', '2', false],
  ['a smaller integer', 'Lt', '-1', true],
  ['a text that is not an integer', 'Lt', '1x', false],
])('compares %s', (_, operator, value, expected) => {
  expect(meetsRequirement({ key: 'a', operator, values: ['2'] }, { a: value })).toBe(expected);
});

function requirement(key: string, operator: string, ...values: string[]): LabelRequirement {
  return { key, operator, values };
}
