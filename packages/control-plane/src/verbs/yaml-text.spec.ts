import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { defaultLimits } from '../limits/limits.ts';
import { parseYamlText } from './yaml-text.ts';

const { maxYamlBytes } = defaultLimits;
const parse = (text: string) => parseYamlText(Buffer.from(text), maxYamlBytes);

/** With a comment before it a document is not JSON. */
const parseAsYaml = (json: string) => parse(`# YAML\n${json}`);

describe('parseYamlText', () => {
  it('reads JSON as it reads the same text as YAML', () => {
    const objects = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(objects, fc.constantFrom(0, 2, '\t'), (object, indent) => {
        const json = JSON.stringify(object, undefined, indent);
        expect(parse(json)).toEqual(parseAsYaml(json));
      }),
    );
  });

  it.each([
    ['integers of 64 bits', '{"a":9007199254740993,"b":[-9223372036854775808]}'],
    ['integers beyond 64 bits', '{"a":92233720368547758070}'],
    ['floating point', '{"a":1.0,"b":-1e3,"c":0.1}'],
    ['a key with a meaning in JavaScript', '{"__proto__":{"a":1}}'],
    ['pairs of surrogates', String.raw`{"a":"\ud83d\ude00"}`],
  ])('reads %s in JSON as in YAML', (_, json) => {
    expect(parse(json)).toEqual(parseAsYaml(json));
  });

  it.each([
    ['JSON', '{"a":1,\n"b":{"c":1,\n"c":2}}', 'line 3: key "c" already set in map'],
    ['YAML', 'a: 1\na: 2', 'line 2: key "a" already set in map'],
  ])('names keys that are twice in %s', (_, text, message) => {
    expect(parse(text).repeated).toEqual([message]);
  });

  it.each([
    ['an object that does not end', '{"a":1', /^yaml: line 1: /],
    ['text after an object', '{"a":1} b', /^yaml: line 1: /],
    ['too many levels', `${'{"a":'.repeat(1_500)}1${'}'.repeat(1_500)}`, /^yaml: exceeded max depth$/],
  ])('refuses %s in the words of YAML', (_, text, message) => {
    expect(() => parse(text)).toThrow(message);
  });

  it.each([
    ['a comma after the last field', '{"a":1,}', { a: 1 }],
    ['a key without quotes', '{a: 1}', { a: 1 }],
  ])('reads YAML that looks like JSON: %s', (_, text, value) => {
    expect(parse(text)).toEqual({ value, repeated: [] });
  });

  it('names the keys that are twice in the order of the text', () => {
    expect(parse('a:\n  b: 1\n  b: 2\na: 3\n').repeated).toEqual([
      'line 3: key "b" already set in map',
      'line 4: key "a" already set in map',
    ]);
  });

  const long = 'x'.repeat(maxYamlBytes);

  it('reads JSON beyond the limit of YAML', () => {
    expect(parse(`\n{"a":"${long}"}`)).toMatchObject({ value: { a: long } });
  });

  it.each([
    ['YAML', `a: ${long}`],
    ['JSON with a key twice', `{"a":"${long}","a":1}`],
  ])('refuses %s beyond its limit, and says what to send', (_, text) => {
    const message = `Request entity too large: ${text.length} bytes of YAML: limit is ${maxYamlBytes}; send JSON, in which no object has a key twice`;
    expect(() => parse(text)).toThrow(
      expect.objectContaining({ status: 413, apiStatus: expect.objectContaining({ message }) }),
    );
  });

  it('compares no key with all others', () => {
    const keys = vi.spyOn(Array.prototype, 'some');
    parse(Array.from({ length: 1_000 }, (_, index) => `k${index}: 1`).join('\n'));
    const compared = keys.mock.contexts.reduce<number>(
      (sum, items) => sum + (Array.isArray(items) ? items.length : 0),
      0,
    );
    keys.mockRestore();
    expect(compared).toBeLessThan(10_000);
  });
});
