import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { guidesWithExamples, withExamples, withoutExamples } from './guide-examples.ts';

const link = '[a.ts](../../packages/a/examples/a.ts)';
const block = (code: string) => `\`\`\`ts\n${code}\n\`\`\`\n`;
const written = (page: string, code: string) => withExamples(page, () => `${code}\n`);

describe('an example in a guide', () => {
  it('is written after its link', () => {
    expect(written(`Before.\n\n${link}\n\nAfter.\n`, '$1')).toBe(`Before.\n\n${link}\n\n${block('$1')}\nAfter.\n`);
  });

  it('takes the place of an earlier version, and of nothing else', () => {
    const rest = `\nAfter.\n\n${block('another')}`;
    const page = `${link}\n\n${block('old\n\nlines')}${rest}`;
    expect(written(page, 'new')).toBe(`${link}\n\n${block('new')}${rest}`);
    expect(written(written(page, 'new'), 'new')).toBe(written(page, 'new'));
    expect(written(`A sentence about ${link}.\n`, 'new')).toBe(`A sentence about ${link}.\n`);
  });

  const guides = guidesWithExamples(join(import.meta.dirname, '../..'));
  it('is in some guides', () => {
    expect(guides.filter(({ text }) => text.includes('/examples/')).length).toBeGreaterThan(3);
  });

  it.for(guides)('is as in its file (if not: npm run generate): $path', ({ text, wanted }) => {
    expect(text).toBe(wanted);
  });
});

/** How packed packages are installed: `packages/guide-tarballs.spec.ts` checks these commands. */
const installation = /```sh\n(npm install .*\n)+```\n/g;

describe('the guides for authors', () => {
  it.each(['write-a-controller', 'test-a-controller', 'write-a-driver'])(
    '%s shows code that tests run, and no other',
    async (name) => {
      const page = await readFile(new URL(`../../docs/guides/${name}.md`, import.meta.url), 'utf8');
      expect(page).toMatch(/^\[[\w-]+\.ts\]\(\.\.\/\.\.\/packages\/[\w-]+\/examples\/[\w-]+\.ts\)$/m);
      expect(withoutExamples(page).replaceAll(installation, '')).not.toContain('```');
    },
  );
});
