import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonText } from './json-text.ts';

const syntaxErrorOf = (text: string): string | undefined => new JsonText(Buffer.from(text)).syntaxError();

describe('JsonText', () => {
  it('finds something wrong exactly where JSON.parse does', () => {
    const spoilt = fc.tuple(fc.json(), fc.nat(), fc.constantFrom('', '}', ']', ',', '"', '\\', '0', '-', 'é', '\n'));
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.string(),
          spoilt.map(([json, at, by]) => splice(json, at, by)),
        ),
        (text) => {
          expect(syntaxErrorOf(text) === undefined).toBe(isJson(text));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['', 'unexpected end of JSON input'],
    ['{', 'unexpected end of JSON input'],
    ['{"a":}', "invalid character '}' looking for beginning of value"],
    ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 2}', "invalid character '2' after object key:value pair"],
    ['[1 2]', "invalid character '2' after array element"],
    ['1 2', "invalid character '2' after top-level value"],
    ['tru!', "invalid character '!' in literal true (expecting 'e')"],
    ['-x', "invalid character 'x' in numeric literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\n"', "invalid character '\\n' in string literal"],
    ['['.repeat(2_000), "invalid character '[' exceeded max depth"],
  ])('says in the words of Go what is wrong with %j', (text, message) => {
    expect(syntaxErrorOf(text)).toBe(message);
  });

  it('knows the paths of fields that are there twice', () => {
    const text = new JsonText(Buffer.from('{"a":{"b":1,"c":[0,{"d":1,"d":2}],"b":2},"a":{}}'));
    expect(text.syntaxError()).toBeUndefined();
    expect(text.duplicates).toEqual(['a.c[1].d', 'a.b', 'a']);
  });
});

const splice = (text: string, at: number, by: string): string => {
  const place = at % (text.length + 1);
  return text.slice(0, place) + by + text.slice(place + 1);
};

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

it('names a hundred fields that are there twice, or a megabyte of them, and makes no other path', () => {
  const read = (text: string): readonly string[] => {
    const json = new JsonText(Buffer.from(text));
    expect(json.syntaxError()).toBeUndefined();
    return json.duplicates;
  };
  const fields = Array.from({ length: 1000 }, (_, index) => `"f${index}":1,"f${index}":2`).join(',');
  expect(read(`{${fields}}`)).toHaveLength(100);
  const key = 'k'.repeat(300_000);
  expect(read(`{"${key}":{${fields}}}`)).toEqual([0, 1, 2, 3].map((index) => `${key}.f${index}`));
});
