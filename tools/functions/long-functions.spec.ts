import { describe, expect, it } from 'vitest';
import { longFunctions, mostLines } from './long-functions.ts';

/** Lines that make a function as long as it may be, with its first and last one. */
const body = `${'  step();\n'.repeat(mostLines - 2)}`;

describe('longFunctions', () => {
  it.each([
    ['a declaration', 'function run() {', '}', 'run'],
    ['a method', 'class Agent {\n  run() {', '  }\n}', 'run'],
    ['an arrow function', 'export const run = async (): Promise<void> => {', '};', 'run'],
    ['a function in an object', 'const agent = {\n  run: () => {', '  },\n};', 'run'],
    ['a function that is passed on', 'call(() => {', '});', 'a function without a name'],
  ])('finds %s with one line too many', (_, first, last, name) => {
    expect(longFunctions('a.ts', `${first}\n${body}${last}\n`)).toEqual([]);
    const [found, ...others] = longFunctions('a.ts', `${first}\n${body}  step();\n${last}\n`);
    expect(found).toMatchObject({ name, lines: mostLines + 1 });
    expect(others).toEqual([]);
  });

  it('does not count a class', () => {
    expect(longFunctions('a.ts', `class Agent {\n${'  step() {}\n'.repeat(100)}}\n`)).toEqual([]);
  });

  it('says where the function begins', () => {
    expect(longFunctions('a.ts', `\n\nfunction run() {\n${body}${body}}\n`)).toMatchObject([{ line: 3 }]);
  });

  it('refuses a file that cannot be parsed', () => {
    expect(() => longFunctions('a.ts', 'function (')).toThrow('a.ts cannot be parsed');
  });
});
