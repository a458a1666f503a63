import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { brokenLinks } from './broken-links.ts';

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

/** The links that are broken in docs/page.md, beside docs/other.md with one heading. */
function brokenIn(page: string) {
  const root = mkdtempSync(join(tmpdir(), 'flotilla-links-'));
  roots.push(root);
  mkdirSync(join(root, 'docs'));
  writeFileSync(join(root, 'LICENSE'), '');
  writeFileSync(join(root, 'docs/other.md'), '# A page\n\n## How `kubectl` sees it, or not\n');
  writeFileSync(join(root, 'docs/page.md'), page);
  return brokenLinks(root);
}

describe('a link is good', () => {
  it.each([
    ['to a page beside', '[x](other.md)'],
    ['to a directory above', '[x](..)'],
    ['to a file above', '[x](../LICENSE)'],
    ['to a heading of the same page', '# Here we are\n[x](#here-we-are)'],
    ['to a heading of another page', '[x](other.md#how-kubectl-sees-it-or-not)'],
    ['to another site', '[x](https://example.com/none.md)'],
    ['if it is code', 'a `[x](none.md)`\n```ts\nlist[0](none.md)\n```\n'],
  ])('%s', (_, page) => {
    expect(brokenIn(page)).toEqual([]);
  });
});

describe('a link is broken', () => {
  it.each([
    ['to a page that is not there', 'none.md'],
    ['to a heading of this page that is not there', '#none'],
    ['to a heading of another page that is not there', 'other.md#none'],
  ])('%s', (_, target) => {
    expect(brokenIn(`text\n[x](${target})`)).toEqual([{ file: 'docs/page.md', line: 2, target }]);
  });
});
