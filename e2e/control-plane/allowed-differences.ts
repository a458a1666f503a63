import { readFile } from 'node:fs/promises';

const readme = new URL('../../packages/control-plane/README.md', import.meta.url);

/** The names in the first column of the README's table of differences: the only ones that scenarios may use. */
export async function allowedDifferences(): Promise<string[]> {
  const content = await readFile(readme, 'utf8');
  const [, section = ''] = content.split('## Differences from kube-apiserver');
  const [table = ''] = section.split('\n## ');
  return [...table.matchAll(/^\| `([a-z-]+)` +\|/gm)].map(([, name = '']) => name);
}
