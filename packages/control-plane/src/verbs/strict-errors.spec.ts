import { acceptableMs, longestTurn } from '@flotilla/rules/testing';
import { describe, expect, it } from 'vitest';
import { infoOf } from '../../fixtures/object-schemas.ts';
import { strictErrors } from './strict-errors.ts';

const errorsOf = (body: string, duplicates: string[], unknown: string[], type = 'application/json') =>
  strictErrors(
    { info: infoOf('/configmaps'), headers: { 'content-type': type }, body: Buffer.from(body) },
    duplicates.map((path) => `duplicate field "${path}"`),
    unknown,
    'Strict',
  );

it.each([
  [
    'what is unknown and what is there twice, in the order of the document',
    '{"metadata":{"name":"a","nope":1},"data":{"a":"1","a":"2"},"bogus":1}',
    ['data.a'],
    ['bogus', 'metadata.nope'],
    ['unknown field "metadata.nope"', 'duplicate field "data.a"', 'unknown field "bogus"'],
  ],
  [
    'an unknown field that is there twice once, and nothing of what is inside',
    '{"bogus":{"a":1,"a":2},"bogus":2}',
    ['bogus.a', 'bogus'],
    ['bogus'],
    ['unknown field "bogus"'],
  ],
  ['only what is unknown if nothing is there twice', '{"bogus":1}', [], ['bogus'], ['unknown field "bogus"']],
])('strict decoding reports %s', (_what, body, duplicates, unknown, expected) => {
  expect(errorsOf(body, duplicates, unknown)).toEqual(expected);
});

it('strict decoding of YAML reports duplicates first', () => {
  expect(errorsOf('a: 1\nb: 2\na: 3\n', ['a'], ['b'], 'application/yaml')).toEqual([
    'yaml: unmarshal errors:\n  duplicate field "a"',
    'unknown field "b"',
  ]);
});

describe('of thousands of errors strict decoding', () => {
  const names = Array.from({ length: 5000 }, (_, index) => `field-${index}`);
  const body = `{${names.map((name) => `"${name}":1`).join(',')},"data":{"a":"1","a":"2"}}`;

  it('reports a hundred, as the API server does', () => {
    expect(errorsOf(body, ['data.a'], names)).toEqual(names.slice(0, 100).map((name) => `unknown field "${name}"`));
    expect(errorsOf(body, [], names)).toHaveLength(100);
  });

  it('does not compare each with all others', async () => {
    const known = `{"data":{${names.map((name) => `"${name}":1,"${name}":1`).join(',')}}}`;
    const unknown = names.map((name) => `other-${name}`);
    expect(await longestTurn(() => errorsOf(known, ['data.a'], unknown))).toBeLessThan(acceptableMs);
  });

  it('reports those of a document that is too large to be put in order', () => {
    const key = 'k'.repeat(600_000);
    const large = `{"${key}":{"a":1,"b":1},"data":{"a":"1","a":"2"}}`;
    expect(errorsOf(large, ['data.a'], [key])).toEqual(['duplicate field "data.a"', `unknown field "${key}"`]);
  });
});
