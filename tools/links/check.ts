// Fails if a Markdown page links to a file or heading that does not exist, or if the architecture page names such a path: node tools/links/check.ts
import { join } from 'node:path';
import { brokenLinks } from './broken-links.ts';
import { missingPaths } from './missing-paths.ts';

const root = join(import.meta.dirname, '../..');
const broken = [...brokenLinks(root), ...missingPaths(root, 'docs/architecture.md')];
if (broken.length === 0) console.log('links: all lead somewhere');
else {
  for (const { file, line, target } of broken) console.error(`${file}:${line}: nothing is at ${target}`);
  process.exitCode = 1;
}
