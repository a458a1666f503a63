import { statSync } from 'node:fs';
import { posix } from 'node:path';
import type { PackagePage } from './pages.ts';

/** What links depend on. */
export interface Site {
  /** The directory of the repository. */
  root: string;
  /** Its address. */
  home: string;
  packages: readonly PackagePage[];
}

/**
 * A link as the site has it. Pages are written for readers of the repository too, so they link to files: a page of `docs` and the
 * README of a package are pages of the site, all other files are in the repository.
 */
export function siteLink({ root, home, packages }: Site, from: string, href: string): string {
  if (/^([a-z]+:|#|\/)/.test(href)) return href;
  const [path = '', heading] = href.split('#');
  const target = posix.normalize(posix.join(posix.dirname(from), decodeURI(path)));
  const anchor = heading === undefined ? '' : `#${heading}`;
  return (pageOf(packages, target) ?? `${home}/${kindOf(`${root}/${target}`)}/main/${target}`) + anchor;
}

/** The page of the site that a file or directory of the repository is. */
function pageOf(packages: readonly PackagePage[], target: string): string | undefined {
  const document = /^docs\/(.*?)(README)?\.md$/.exec(target);
  if (document) return `/${document[1]}`;
  const { name } = packages.find(({ readme }) => readme === target || posix.dirname(readme) === target) ?? {};
  return name === undefined ? undefined : `/packages/${name}`;
}

/** GitHub shows directories and files at different addresses. */
const kindOf = (path: string): 'tree' | 'blob' =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ? 'tree' : 'blob';
