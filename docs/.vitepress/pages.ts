import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** An entry of a sidebar. */
export interface Entry {
  text: string;
  link: string;
}

/** The pages of a directory below `docs`, by their first headings. An index page is left to the caller. */
export function pagesIn(root: string, directory: string): Entry[] {
  return globSync('*.md', { cwd: join(root, directory) })
    .filter((file) => file !== 'README.md' && file !== 'index.md')
    .sort()
    .map((file) => {
      const path = join(directory, file).replaceAll('\\', '/');
      return { text: titleOf(root, path), link: path.replace(/^docs/, '').replace(/\.md$/, '') };
    });
}

/** The guides in the order in which a newcomer reads them; others follow. */
const order = [
  'quickstart',
  'operator',
  'install-a-hub',
  'register-clusters',
  'distribute-works',
  'placement',
  'roll-out',
  'add-ons',
  'remove',
  'push-mode',
  'reach-members',
  'coming-from-ocm',
  'coming-from-karmada',
  'write-a-controller',
  'test-a-controller',
  'write-an-addon',
  'write-a-driver',
];

export function guides(root: string): Entry[] {
  const place = ({ link }: Entry) => (order.indexOf(basename(link)) + order.length + 1) % (order.length + 1);
  return pagesIn(root, 'docs/guides').sort((a, b) => place(a) - place(b));
}

/** The first heading of a page, without the marks of code. */
export function titleOf(root: string, path: string): string {
  const [, title = basename(path)] = /^# (.*)$/m.exec(readFileSync(join(root, path), 'utf8')) ?? [];
  return title.replaceAll('`', '').replace('Acceptance cases: ', '');
}

/** A package or program whose README is a page of the site. */
export interface PackagePage {
  /** Of the page: `kube`. */
  name: string;
  title: string;
  /** In the repository: `packages/kube/README.md`. */
  readme: string;
}

export function packagePages(root: string): PackagePage[] {
  return globSync(['packages/*/README.md', 'apps/*/README.md'], { cwd: root })
    .map((readme) => readme.replaceAll('\\', '/'))
    .filter((readme) => existsSync(join(root, dirname(readme), 'package.json')))
    .sort((a, b) => Number(a.startsWith('apps/')) - Number(b.startsWith('apps/')) || a.localeCompare(b))
    .map((readme) => ({ name: basename(dirname(readme)), title: titleOf(root, readme), readme }));
}

/** The API reference, which `npm run docs` writes: each package with its entry points. `index.md` is the root of the package. */
export function apiEntries(root: string): (Entry & { collapsed: boolean; items: Entry[] })[] {
  return globSync('docs/reference/api/*/modules.md', { cwd: root })
    .map((path) => dirname(path).replaceAll('\\', '/'))
    .sort()
    .map((directory) => {
      const link = directory.replace(/^docs/, '');
      const entryPoints = pagesIn(root, directory).filter((page) => !page.link.endsWith('/modules'));
      const items = existsSync(join(root, directory, 'index.md'))
        ? [{ text: 'index', link: `${link}/` }, ...entryPoints]
        : entryPoints;
      return { text: `@flotilla/${basename(directory)}`, link: `${link}/modules`, collapsed: true, items };
    });
}
