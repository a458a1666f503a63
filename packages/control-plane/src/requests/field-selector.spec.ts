import { describe, expect, test } from 'vitest';
import { type FieldTerm, parseFieldSelector } from './field-selector.ts';

const term = (field: string, operator: '=' | '!=', value: string): FieldTerm => ({
  field,
  equal: operator === '=',
  value,
});

describe('a field selector is read as', () => {
  const cases: Record<string, [string, FieldTerm[]]> = {
    'nothing, if it is empty': ['', []],
    'one term': ['metadata.name=a', [term('metadata.name', '=', 'a')]],
    'the same, with two equals signs': ['metadata.name==a', [term('metadata.name', '=', 'a')]],
    'a term that excludes': ['metadata.name!=a', [term('metadata.name', '!=', 'a')]],
    'terms in the order of their text': ['b=1,a=2', [term('a', '=', '2'), term('b', '=', '1')]],
    'terms without the empty ones': [',a=1,,', [term('a', '=', '1')]],
    'a value with an escaped comma, not two terms': [
      'metadata.name!=x\\,metadata.name\\=a',
      [term('metadata.name', '!=', 'x,metadata.name=a')],
    ],
    'a value with an escaped backslash, and a term after it': [
      'a=x\\\\,b=y',
      [term('a', '=', 'x\\'), term('b', '=', 'y')],
    ],
    'an empty value': ['a=', [term('a', '=', '')]],
    'a field with a backslash, which escapes nothing there': ['a\\b=c', [term('a\\b', '=', 'c')]],
  };
  test.each(Object.entries(cases))('%s', (_, [text, terms]) => {
    expect(parseFieldSelector(text)).toEqual(terms);
  });
});

describe('a field selector is refused', () => {
  const cases: Record<string, [string, string]> = {
    'without an operator': ['a=1,b', "invalid selector: 'a=1,b'; can't understand 'b'"],
    'with an unknown escape': ['a=\\x', 'invalid field selector: invalid escape sequence: \\x'],
    'with a backslash at its end': ['a=\\', 'invalid field selector: invalid escape sequence: \\'],
    'with a bare equals sign in a value': ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
  };
  test.each(Object.entries(cases))('%s', (_, [text, message]) => {
    expect(() => parseFieldSelector(text)).toThrow(new SyntaxError(message));
  });
});
