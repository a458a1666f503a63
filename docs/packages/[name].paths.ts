import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePages } from '../.vitepress/pages.ts';

const root = join(import.meta.dirname, '../..');

/** One page for the README of each package. */
export default {
  watch: ['../../packages/*/README.md', '../../apps/*/README.md'],
  paths: () =>
    packagePages(root).map(({ name, readme }) => ({
      params: { name },
      content: readFileSync(join(root, readme), 'utf8'),
    })),
};
