// Breaks the long lines of all pages that no program writes: node tools/prose/wrap.ts
import { readFileSync, writeFileSync } from 'node:fs';
import { wrapPage } from './wrap-page.ts';
import { writtenPages } from './written-pages.ts';

for (const file of writtenPages()) {
  const page = readFileSync(file, 'utf8');
  const wrapped = wrapPage(page);
  if (wrapped !== page) writeFileSync(file, wrapped);
}
