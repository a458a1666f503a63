import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { names } from '../registry.ts';
import { namesPageUrl } from './location.ts';
import { renderNamesPage } from './names-page.ts';

describe('docs/reference/names.md', () => {
  it('is what `npm run generate` writes', () => {
    expect(readFileSync(namesPageUrl, 'utf8')).toBe(renderNamesPage());
  });

  it('shows every name', () => {
    const page = renderNamesPage();
    expect(names().filter(({ value }) => value !== '' && !page.includes(`\`${value}\``))).toEqual([]);
  });
});
