import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileJsonPath } from './json-path.ts';
import { JsonPathError } from './nodes.ts';

const document = {
  kind: 'Odd',
  spec: {
    list: [
      { n: 1, t: 'a', f: 1.5, b: false, u: 'z' },
      { n: 2, t: 'b', opt: 1, b: true, u: 'b' },
      { n: 3, t: 'a b)', sub: { x: '1' }, q: 'it"s', u: 'k' },
    ],
    map: { 'a.b': 'dot', c: 'cc' },
    nothing: null,
    text: 'plain',
  },
};

describe('a path finds', () => {
  it.each<[why: string, path: string, found: unknown[]]>([
    ['a field', '.kind', ['Odd']],
    ['a field below another', '.spec.text', ['plain']],
    ['nothing where a field is missing', '.spec.other.field', []],
    ['nothing below a text', '.spec.text.field', []],
    ['null where a field is null', '.spec.nothing', [null]],
    ['a field whose dots are escaped', '.spec.map.a\\.b', ['dot']],
    ['a quoted field', ".spec['map']['c']", ['cc']],
    ['nothing for a quoted field whose dots are not escaped', ".spec.map['a.b']", []],
    ['all elements', '.spec.list[*].t', ['a', 'b', 'a b)']],
    ['one element', '.spec.list[1].t', ['b']],
    ['the first element for empty brackets', '.spec.list[].t', ['a']],
    ['the last element', '.spec.list[-1].t', ['a b)']],
    ['a slice', '.spec.list[0:2].t', ['a', 'b']],
    ['a slice without an end', '.spec.list[1:].t', ['b', 'a b)']],
    ['a slice from the end', '.spec.list[-2:].t', ['b', 'a b)']],
    ['every second element', '.spec.list[::2].t', ['a', 'a b)']],
    ['an empty slice', '.spec.list[0:0].t', []],
    ['several elements', '.spec.list[0,2].n', [1, 3]],
    ['elements whose text matches', '.spec.list[?(@.t=="b")].n', [2]],
    ['elements whose text in single quotes matches', ".spec.list[?(@.t=='b')].n", [2]],
    ['elements whose text holds a bracket', '.spec.list[?(@.t=="a b)")].n', [3]],
    ['elements whose text holds an escaped quote', '.spec.list[?(@.q=="it\\"s")].n', [3]],
    ['elements whose number matches', '.spec.list[?(@.n>1)].t', ['b', 'a b)']],
    ['elements whose boolean matches', '.spec.list[?(@.b==true)].t', ['b']],
    ['elements that differ', '.spec.list[?(@.n!=1)].n', [2, 3]],
    ['elements that have a field', '.spec.list[?(@.opt)].t', ['b']],
    ['elements by a field below', '.spec.list[?(@.sub.x=="1")].n', [3]],
    ['elements by two of their fields', '.spec.list[?(@.t==@.u)].n', [2]],
    ['nothing where no element has the field', '.spec.list[?(@.missing=="x")].t', []],
    ['fields at any depth', '..t', ['a', 'b', 'a b)']],
    ['all fields', '.spec.map.*', ['dot', 'cc']],
  ])('%s', (_, path, found) => {
    expect(compileJsonPath(path).find(document).flat()).toEqual(found);
  });
});

describe('a path does not fit', () => {
  it.each([
    ['when an index is beyond the end', '.spec.list[5]'],
    ['when an index is before the start', '.spec.list[-5]'],
    ['when a slice ends beyond the end', '.spec.list[0:9]'],
    ['when an index is used on what is not a list', '.spec.map[0]'],
    ['when a filter is used on what is not a list', '.spec.map[?(@.a=="b")]'],
    ['when a text is compared with a number', '.spec.list[?(@.t==1)]'],
    ['when booleans are put in order', '.spec.list[?(@.b>true)]'],
    ['when it does not begin with a field', 'spec.text'],
    ['when a comparison is not one of the six', '.spec.list[?(@.n<>1)]'],
  ])('%s', (_, path) => {
    const compiled = compileJsonPath(path);
    expect(() => compiled.find(document)).toThrow(JsonPathError);
  });
});

describe('a path cannot be read', () => {
  it.each([
    ['with a bracket that does not close', '.spec.list[0'],
    ['with a key in double quotes', '.spec.map["a.b"]'],
    ['with a filter that does not close', '.spec.list[?(@.n==1'],
  ])('%s', (_, path) => {
    expect(() => compileJsonPath(path)).toThrow(JsonPathError);
  });

  it('and nothing but errors comes of any text', () => {
    const pieces = fc.constantFrom(
      '.',
      '..',
      '[',
      ']',
      '[?(',
      ')]',
      '@',
      '"',
      "'",
      '*',
      ':',
      '-1',
      'a',
      '==',
      ' ',
      '\\',
      ',',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        try {
          expect(compileJsonPath(parts.join('')).find(document)).toBeInstanceOf(Array);
        } catch (error) {
          if (!(error instanceof JsonPathError)) throw error;
        }
      }),
    );
  });
});
