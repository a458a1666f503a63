// Fails if a package exports something without a doc comment: node tools/docs/check.ts
import { join, relative } from 'node:path';
import { workspacePackages } from '../workspace.ts';
import { sourcesOf } from './api.ts';
import { undocumentedExports } from './undocumented.ts';

/** The names of the kinds of Kubernetes are their documentation. */
const kinds = '/src/kinds/';

const root = join(import.meta.dirname, '../..');
const missing = workspacePackages(root)
  .flatMap(({ directory, manifest }) => sourcesOf(manifest).map((source) => join(root, directory, source)))
  .flatMap((entry) => undocumentedExports(entry))
  .filter(({ file }) => !file.includes(kinds))
  .map(({ file, line, name }) => `${relative(root, file)}:${line}: ${name} is exported without a doc comment`);
if (missing.length === 0) console.log('exports: all have a doc comment');
else {
  for (const line of new Set(missing)) console.error(line);
  process.exitCode = 1;
}
