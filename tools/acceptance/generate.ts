// Writes docs/reference/acceptance from the titles of tests: node tools/acceptance/generate.ts
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { acceptancePages } from './pages.ts';

const root = join(import.meta.dirname, '../..');
const { pages, errors } = acceptancePages(root);
for (const [path, text] of pages) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
if (errors.length > 0) {
  console.error(['acceptance cases:', ...errors].join('\n    '));
  process.exitCode = 1;
}
