import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileRegex } from './regex.ts';

describe('compileRegex', () => {
  it.each([
    { what: 'the dot takes a carriage return', pattern: '^.$', text: '\r', matches: true },
    { what: 'the dot does not take a line feed', pattern: '^.$', text: '\n', matches: false },
    { what: 'the dot takes a line feed under (?s)', pattern: '(?s)^.$', text: '\n', matches: true },
    { what: 'the dot takes a whole emoji', pattern: '^.$', text: '😀', matches: true },
    { what: 'the end is not before a last line feed', pattern: '^a$', text: 'a\n', matches: false },
    { what: 'space is ASCII only', pattern: '^\\s$', text: '\u00a0', matches: false },
    { what: 'space inside a class is ASCII only', pattern: '^[\\s]$', text: '\u2028', matches: false },
    { what: 'what is not space may be in a class', pattern: '^[\\S]$', text: 'a', matches: true },
    { what: 'flags may be inside', pattern: '^a(?i:b)$', text: 'aB', matches: true },
    { what: 'case is ignored under (?i)', pattern: '(?i)^ab$', text: 'AB', matches: true },
    { what: 'groups may be named in the style of Python', pattern: '^(?P<first>a)b$', text: 'ab', matches: true },
    { what: 'POSIX classes are known', pattern: '^[[:alpha:]_]+$', text: 'a_Z', matches: true },
    { what: 'a bracket first in a class is literal', pattern: '^[]a]+$', text: 'a]', matches: true },
    { what: 'an open bracket in a class is literal', pattern: '^[[a]+$', text: '[a', matches: true },
    { what: 'a needless escape is the character', pattern: '^\\_\\-\\@$', text: '_-@', matches: true },
    { what: 'a dash may be escaped in a class', pattern: '^[a\\-z]$', text: '-', matches: true },
    { what: 'a slash may be escaped', pattern: '^a\\/b$', text: 'a/b', matches: true },
    { what: 'a brace that repeats nothing is literal', pattern: '^a{x}$', text: 'a{x}', matches: true },
    { what: 'a repetition repeats', pattern: '^a{2,3}$', text: 'aaa', matches: true },
    { what: 'quoted text is literal', pattern: '^\\Qa.b*\\E$', text: 'a.b*', matches: true },
    { what: 'hexadecimal characters are read', pattern: '^\\x41\\x{1F600}$', text: 'A😀', matches: true },
    { what: 'unicode classes need no braces', pattern: '^\\pL$', text: 'ä', matches: true },
    { what: '\\A and \\z are the ends of the text', pattern: '\\Aa\\z', text: 'ba', matches: false },
    {
      what: 'an alternative binds weaker than an anchor, as published for progressDeadline',
      pattern: '^(([0-9])+[h|m|s])|None$',
      text: '5m and more',
      matches: true,
    },
  ])('$what', ({ pattern, text, matches }) => {
    expect(compileRegex(pattern).test(text)).toBe(matches);
  });

  it.each(['(?=a)', '(?<!a)b', '\\1', '(', 'a**'])('refuses %s, as Go does', (pattern) => {
    expect(() => compileRegex(pattern)).toThrow('error parsing regexp');
  });

  it('matches any text that it quotes', () => {
    const isSurrogate = (point: number) => point >= 0xd800 && point <= 0xdfff;
    const character = fc
      .nat(0x10ffff)
      .filter((point) => !isSurrogate(point))
      .map((point) => String.fromCodePoint(point));
    const unit = fc.oneof(fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 1 }), character);
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        fc.pre(!text.includes('\\E') && !text.endsWith('\\'));
        expect(compileRegex(`^\\Q${text}\\E$`).test(text)).toBe(true);
      }),
    );
  });
});
