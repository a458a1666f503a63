// Fails if docs/reference/acceptance is not what the titles of tests say: node tools/acceptance/check.ts
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { acceptancePages } from './pages.ts';

const root = join(import.meta.dirname, '../..');
const { pages, errors } = acceptancePages(root);
const stale = [...pages].filter(
  ([path, text]) => !existsSync(join(root, path)) || readFileSync(join(root, path), 'utf8') !== text,
);
const found = [...errors, ...stale.map(([path]) => `${path} is not up to date; run npm run generate`)];
if (found.length === 0) console.log('acceptance cases: every case has a test or a reason');
else {
  console.error(['acceptance cases:', ...found].join('\n    '));
  process.exitCode = 1;
}
