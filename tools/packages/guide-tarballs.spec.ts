import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workspacePackages } from '../workspace.ts';

const root = join(import.meta.dirname, '../..');
const members = new Map(workspacePackages(root).map(({ manifest }) => [manifest.name, manifest]));

/** Lines of pages that install tarballs: `npm install ../tarballs/flotilla-{a,b}-[0-9]*.tgz`. */
const lines = globSync(['docs/guides/*.md', 'packages/*/README.md'], { cwd: root }).flatMap((page) =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^npm install .*flotilla-\{(.*)\}-/gm)].map(
    ([, names = '']): [page: string, names: string[]] => [page, names.split(',')],
  ),
);

describe('a page that installs tarballs', () => {
  it('is found', () => {
    expect(lines.map(([page]) => page)).toContain('docs/guides/write-a-controller.md');
  });

  it.for(lines)('installs all that they depend on: %s %s', ([, names]) => {
    const given = names.map((name) => `@flotilla/${name}`);
    const needed = given.flatMap((name) => Object.keys(members.get(name)?.dependencies ?? { [`no ${name}`]: '' }));
    const missing = needed.filter((name) => /flotilla/.test(name) && !given.includes(name));
    expect(missing).toEqual([]);
  });
});
