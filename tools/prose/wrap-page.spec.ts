import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { longProse } from './long-prose.ts';
import { wrapPage } from './wrap-page.ts';

const long = Array.from({ length: 40 }, (_, index) => `word${index}`).join(' ');

describe('wrapPage', () => {
  it.each([
    ['a page without long lines', '# A\n\nshort\nlines\n\n- and\n- items\n'],
    ['code', `\`\`\`sh\n${long}\n\`\`\`\n`],
    ['a table', `| ${long} |\n| --- |\n`],
    ['front matter', `---\ntitle: ${long}\n---\n`],
    ['lines that are broken on purpose', `${long}  \nnext\n`],
  ])('leaves %s as it is', (_, page) => {
    expect(wrapPage(page)).toBe(page);
  });

  it('breaks a paragraph with a long line between words', () => {
    const lines = wrapPage(`short\n${long}\n\nother`).split('\n');
    expect(lines[0]).toMatch(/^short word0 /);
    expect(lines.slice(0, -2).join(' ')).toBe(`short ${long}`);
    expect(longProse(lines.join('\n')).filter(({ kind }) => kind === 'line')).toEqual([]);
  });

  it('indents what goes on in an item of a list', () => {
    const [first, second] = wrapPage(`1. ${long}\n2. next`).split('\n');
    expect(first).toMatch(/^1\. word0 /);
    expect(second).toMatch(/^ {3}word/);
  });

  it('breaks neither code nor before what would begin a list', () => {
    const code = `\`${long.slice(0, 100)}\``;
    expect(wrapPage(`${long.slice(0, 130)} ${code} end ${long}`)).toContain(code);
    const dashed = `${'x'.repeat(149)} - ${long}`;
    expect(wrapPage(dashed).split('\n')[1]).toMatch(/^word/);
  });

  it('changes nothing when it runs again', () => {
    const word = fc.stringMatching(/^[a-z`-]{1,12}$/);
    const page = fc.array(word, { minLength: 20, maxLength: 80 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(page, (text) => {
        expect(wrapPage(wrapPage(text))).toBe(wrapPage(text));
      }),
    );
  });
});
