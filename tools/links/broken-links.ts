import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A link of a page that leads nowhere. */
export interface BrokenLink {
  /** Relative to the root. */
  file: string;
  line: number;
  target: string;
}

/** Pages that `npm run docs` writes, and whose links it checks. */
const generated = /^docs[/\\]reference[/\\](api[/\\]|flags\.md)/;

/** The relative links of all Markdown pages whose file, or heading of a Markdown file, does not exist. */
export function brokenLinks(root: string): BrokenLink[] {
  const pages = globSync('**/*.md', {
    cwd: root,
    exclude: (name) => ['node_modules', 'dist', '.git', '.nx'].includes(name),
  }).filter((file) => !generated.test(file));
  return pages.sort().flatMap((file) =>
    linksOf(readFileSync(join(root, file), 'utf8')).flatMap(({ line, target }) => {
      if (/^[a-z]+:/.test(target)) return [];
      const [path = '', heading] = target.split('#');
      const destination = path === '' ? join(root, file) : join(root, dirname(file), decodeURI(path));
      const found = existsSync(destination) && (heading === undefined || hasHeading(destination, heading));
      return found ? [] : [{ file, line, target }];
    }),
  );
}

/** Links outside of code. */
function linksOf(page: string): { line: number; target: string }[] {
  const blank = (code: string) => code.replace(/[^\n]/g, ' ');
  const prose = page.replace(/^```.*?^```/gms, blank).replace(/`[^`\n]*`/g, blank);
  return [...prose.matchAll(/\]\(\s*([^)\s]+)/g)].map(({ index, 1: target = '' }) => ({
    line: prose.slice(0, index).split('\n').length,
    target,
  }));
}

/** Headings are reached by the name that GitHub makes of them. */
function hasHeading(file: string, heading: string): boolean {
  if (!file.endsWith('.md')) return true;
  const titles = [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => title);
  const slugs = titles.map((title) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  );
  return slugs.includes(heading);
}
