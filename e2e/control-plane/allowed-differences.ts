import { readFile } from 'node:fs/promises';

const page = new URL('../../docs/reference/differences-from-kube-apiserver.md', import.meta.url);

/** The names in the first column of the table of differences: the only ones that scenarios may use. */
export async function allowedDifferences(): Promise<string[]> {
  const table = await readFile(page, 'utf8');
  return [...table.matchAll(/^\| `([a-z-]+)` +\|/gm)].map(([, name = '']) => name);
}
