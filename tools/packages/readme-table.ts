import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspacePackages } from '../workspace.ts';

const start = '<!-- packages: written by `npm run generate` -->\n';
const end = '<!-- end of the packages -->';

/** The README of the root with its table of packages as their package.json files describe them. */
export function readmeWithTable(root: string): string {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const [before, rest] = readme.split(start);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`README.md has no ${start.trim()} … ${end}`);
  const rows = workspacePackages(root)
    .filter(({ directory }) => /^(packages|apps)\//.test(directory) && existsSync(join(root, directory, 'README.md')))
    .sort((a, b) => Number(a.manifest.private ?? false) - Number(b.manifest.private ?? false))
    .map(({ directory, manifest }) => `| [\`${manifest.name}\`](${directory}/README.md) | ${manifest.description} |`);
  return `${before}${start}\n${['| package | what it is |', '| --- | --- |', ...rows].join('\n')}\n\n${end}${after}`;
}
