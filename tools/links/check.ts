// Fails if a Markdown page links to a file or heading that does not exist: node tools/links/check.ts
import { join } from 'node:path';
import { brokenLinks } from './broken-links.ts';

const broken = brokenLinks(join(import.meta.dirname, '../..'));
if (broken.length === 0) console.log('links: all lead somewhere');
else {
  for (const { file, line, target } of broken) console.error(`${file}:${line}: nothing is at ${target}`);
  process.exitCode = 1;
}
