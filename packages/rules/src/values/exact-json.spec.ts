import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { acceptableMs, longestTurn } from '../testing/index.ts';
import { parseJson, stringifyJson } from './exact-json.ts';
import { deepEqual, type Json } from './json.ts';

describe('whole numbers', () => {
  it.each([
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
  ])('of 64 bits keep their digits: %s', (digits, value) => {
    const text = `{"a":${digits},"b":[${digits}, ${digits}],"c":{"d":"${digits}"}}`;
    const read = parseJson(text);
    expect(read).toEqual({ a: value, b: [value, value], c: { d: digits } });
    expect(stringifyJson(read)).toBe(text.replace(', ', ','));
  });

  it.each([
    ['that a number can hold are numbers', '9007199254740991', 9007199254740991],
    ['of more than 64 bits are floating point, as in Go', '9223372036854775808', 2 ** 63],
    ['with a fraction or an exponent are floating point', '1234567890123456789.5', Number('1234567890123456789.5')],
  ])('%s', (_, digits, value) => {
    expect(parseJson(`{"a": ${digits}}`)).toEqual({ a: value });
  });

  it('of millions of digits do not hold up the event loop', async () => {
    const text = `{"a":${'9'.repeat(3_000_000)}}`;
    expect(parseJson(text)).toEqual({ a: Number.POSITIVE_INFINITY });
    expect(await longestTurn(() => parseJson(text))).toBeLessThan(acceptableMs);
  });

  it('keep their digits where they are the whole text', () => {
    expect(parseJson('9007199254740993')).toBe(9007199254740993n);
    expect(parseJson('-9007199254740993')).toBe(-9007199254740993n);
  });

  it('are equal if all their digits are', () => {
    expect(deepEqual(parseJson('[9007199254740993]') as Json, parseJson('[9007199254740993]') as Json)).toBe(true);
    expect(deepEqual(parseJson('[9007199254740993]') as Json, parseJson('[9007199254740992]') as Json)).toBe(false);
  });
});

it('any JSON that is read and written is the same', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (json, large) => {
      expect(stringifyJson(parseJson(json))).toBe(JSON.stringify(JSON.parse(json)));
      expect(stringifyJson(parseJson(`{"json":${json},"large":${large}}`))).toContain(`"large":${large}}`);
    }),
  );
});

it('refuses what is not JSON, in both ways of reading', () => {
  expect(() => parseJson('{')).toThrow(SyntaxError);
  expect(() => parseJson('{"a":9007199254740993')).toThrow(SyntaxError);
});

it('refuses a circle', () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  expect(() => stringifyJson(circle)).toThrow(TypeError);
});
