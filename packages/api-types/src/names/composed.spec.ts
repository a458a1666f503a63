import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ComposedName, composed, type FormattedName, formatted } from './composed.ts';
import type { NameTable } from './name-table.ts';
import { vocabularies } from './vocabularies.ts';

const composedNames = Object.entries<NameTable>(vocabularies).flatMap(([vocabulary, table]) =>
  Object.entries(table).flatMap(([key, entry]): [string, FormattedName][] =>
    'template' in entry ? [[`${vocabulary}.${key}`, entry]] : [],
  ),
);
const isInvertible = (name: FormattedName): name is ComposedName => 'parse' in name;
const invertible = composedNames.flatMap(([constant, name]): [string, ComposedName][] =>
  isInvertible(name) ? [[constant, name]] : [],
);

// Many names share a pattern, and to make texts of one is dear: a table of all characters that it takes.
const patterns = new Set(composedNames.flatMap(([, name]) => [...name.patterns.values()]));
const texts = new Map(
  Array.from(patterns, (pattern) => [pattern, fc.stringMatching(new RegExp(`^(?:${pattern})$`), { size: 'small' })]),
);
const textOf = (pattern: string) => texts.get(pattern) ?? fc.constant('');

const partsOf = (name: FormattedName) =>
  fc.record(Object.fromEntries(Array.from(name.patterns, ([part, pattern]) => [part, textOf(pattern)])));

describe('composed names', () => {
  it.each(invertible)('%s gives back the parts it was made of', (_, name) => {
    fc.assert(
      fc.property(partsOf(name), (parts) => {
        expect(name.parse(name.of(parts))).toEqual(parts);
      }),
      { numRuns: 40 },
    );
  });

  it.each(invertible)('%s rebuilds every name that it recognises', (_, name) => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), partsOf(name).map(name.of)), (text) => {
        const parts = name.parse(text);
        expect(parts === undefined || name.of(parts) === text).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it.each(composedNames)('%s refuses an empty part unless the part may be empty', (_, name) => {
    for (const [part, pattern] of name.patterns) {
      const parts = fc.sample(partsOf(name), 1)[0] ?? {};
      const build = () => name.of({ ...parts, [part]: '' });
      if (new RegExp(`^(?:${pattern})$`).test('')) expect(build).not.toThrow();
      else expect(build).toThrow(TypeError);
    }
  });

  it('refuses a part that would make another name of it', () => {
    const user = composed('system:{cluster}:{agent}', [], '');
    expect(() => user.of({ cluster: 'a:b', agent: 'c' })).toThrow(
      'cluster "a:b" does not fit system:{cluster}:{agent}: it must match [^:/\\s]+',
    );
  });

  it('takes dollar signs and regular expression characters in templates and parts literally', () => {
    const name = composed('a.b+{part}', [], '');
    expect(name.of({ part: '$&$1' })).toBe('a.b+$&$1');
    expect(name.parse('a.b+x')).toEqual({ part: 'x' });
    expect(name.parse('aXb+x')).toBeUndefined();
  });

  it('gives no inverse to a name whose parts cannot be distinguished', () => {
    expect(formatted('{a}-{b}', [], '')).not.toHaveProperty('parse');
  });
});
