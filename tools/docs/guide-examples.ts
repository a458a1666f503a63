import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A paragraph that is only a link to an example, and the code block after it, if there is one. */
const example = /^(\[[^\]\n]+\]\(([^)\n]+\/examples\/[^)\n]+\.(ts|yaml))\))\n(?:\n```\3\n(?:.*\n)*?```\n)?/gm;

/** The text of a page whose links to examples, which tests run, are followed by the code itself. */
export const withExamples = (page: string, read: (href: string) => string): string =>
  page.replace(
    example,
    (_, link: string, href: string, language: string) =>
      `${link}\n\n\`\`\`${language}\n${read(href).trimEnd()}\n\`\`\`\n`,
  );

/** The text of a page without the code of the examples that it links. */
export const withoutExamples = (page: string): string => page.replace(example, '$1\n');

/** The guides as they are, and as they should be. */
export const guidesWithExamples = (root: string): { path: string; text: string; wanted: string }[] =>
  globSync('docs/guides/*.md', { cwd: root }).map((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    const wanted = withExamples(text, (href) => readFileSync(join(root, dirname(path), href), 'utf8'));
    return { path, text, wanted };
  });
