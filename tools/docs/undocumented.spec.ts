import { describe, expect, it } from 'vitest';
import { undocumentedExports } from './undocumented.ts';

/** The names of exports of `index.ts` that have no doc comment, with their files and lines. */
function missingIn(files: Readonly<Record<string, string>>): string[] {
  const read = (file: string): string => files[file] ?? '';
  return undocumentedExports('index.ts', read).map(({ file, line, name }) => `${file}:${line} ${name}`);
}

describe('an export without a doc comment is found', () => {
  it.each([
    ['where it is declared', 'const own = 1;\nexport const a = own;', ['index.ts:2 a']],
    [
      'also under another comment',
      '// a\nexport const a = 1;\n/* b */\nexport type B = 1;',
      ['index.ts:2 a', 'index.ts:4 B'],
    ],
    ['also after one with a comment', '/** A */\nexport const a = 1;\nexport class B {}', ['index.ts:3 B']],
    ['also if a value of its name has one', '/** A */\nexport const A = 1;\nexport type A = 1;', ['index.ts:3 A']],
    ['in the file that it is from', "export { a } from './a.ts';", ['a.ts:2 a']],
    ['under another name', "import { a } from './a.ts';\nexport { a as b };", ['a.ts:2 a']],
    ['with all of a file', "export * from './a.ts';\nexport * from './a.ts';", ['a.ts:2 a', 'a.ts:3 C']],
    ['through several files', "export { C } from './all.ts';", ['a.ts:3 C']],
  ])('%s', (_, index, expected) => {
    const a = '// Plain\nexport const a = 1;\nexport class C {}';
    expect(missingIn({ 'index.ts': index, 'a.ts': a, 'all.ts': "export * from './a.ts';" })).toEqual(expected);
  });
});

it.each([
  ['a comment before it', '/** A. */\nexport const a = 1;\n/** B. */\nexport interface B {}'],
  ['a comment before one of its overloads', '/** A. */\nexport function a(): void;\nexport function a(b?: 1) {}'],
  ['a comment in its own file', "export { documented } from './a.ts';"],
  ['its documentation in another package', "export { a } from '@flotilla/kube';"],
])('an export may have %s', (_, index) => {
  expect(
    missingIn({ 'index.ts': index, 'a.ts': '/** Good. */\nexport const documented = 1;\nexport const other = 2;' }),
  ).toEqual([]);
});
