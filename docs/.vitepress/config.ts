import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { siteLink } from './links.ts';
import { apiEntries, guides, packagePages, pagesIn } from './pages.ts';

const root = join(import.meta.dirname, '../..');
const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const home: string = repository.url.replace(/^git\+/, '').replace(/\.git$/, '');
const packages = packagePages(root);

const overview = [
  { text: 'Guides', items: [...guides(root), { text: 'Cookbook', link: '/cookbook' }] },
  {
    text: 'Understand',
    items: [
      { text: 'Architecture', link: '/architecture' },
      { text: 'Glossary', link: '/glossary' },
    ],
  },
];

/** The file in the repository whose links a page has: the README for the page of a package. */
function sourceOf(page: string): string {
  const name = /^packages\/(.+)\.md$/.exec(page)?.[1];
  return packages.find((candidate) => candidate.name === name)?.readme ?? `docs/${page}`;
}

/** Headings are reached by the names that GitHub makes of them, in the repository and on the site. */
const slugify = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

export default defineConfig({
  title: 'Flotilla',
  description: 'Open Cluster Management in TypeScript',
  srcExclude: ['node_modules/**'],
  rewrites: { 'reference/acceptance/README.md': 'reference/acceptance/index.md' },
  cleanUrls: true,
  // Otherwise each page has the addresses of all of them.
  metaChunk: true,
  markdown: {
    anchor: { slugify },
    // Braces are text, as on GitHub: neither attributes of what is before them nor code for Vue.
    attrs: { disable: true },
    config: (md) => {
      const render = md.render.bind(md);
      md.render = (...page) => render(...page).replaceAll('{{', '&#123;&#123;');
      const { fence } = md.renderer.rules;
      md.renderer.rules.fence = (tokens, index, ...rest) => {
        const token = tokens[index];
        if (token?.info.trim() === 'mermaid') return `<Diagram source="${encodeURIComponent(token.content)}" />`;
        return fence?.(tokens, index, ...rest) ?? '';
      };
      md.core.ruler.push('repository-links', ({ tokens, env }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.attrGet('href');
          if (token.type === 'link_open' && href && env.relativePath)
            token.attrSet('href', siteLink({ root, home, packages }, sourceOf(env.relativePath), href));
        }
      });
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: home }],
    outline: [2, 3],
    nav: [
      { text: 'Guides', link: '/guides/quickstart' },
      { text: 'Architecture', link: '/architecture' },
      { text: 'Packages', link: '/packages/kube' },
      { text: 'Reference', link: '/reference/errors' },
      { text: 'Decisions', link: '/adr/0000-how-we-record-decisions' },
    ],
    sidebar: {
      '/guides/': overview,
      '/architecture': overview,
      '/cookbook': overview,
      '/glossary': overview,
      '/packages/': [
        { text: 'Packages', items: packages.map(({ name, title }) => ({ text: title, link: `/packages/${name}` })) },
      ],
      '/reference/': [
        { text: 'Reference', items: pagesIn(root, 'docs/reference') },
        { text: 'API', items: apiEntries(root) },
        { text: 'Acceptance cases', link: '/reference/acceptance/', items: pagesIn(root, 'docs/reference/acceptance') },
      ],
      '/adr/': [{ text: 'Decisions', items: pagesIn(root, 'docs/adr') }],
    },
  },
});
