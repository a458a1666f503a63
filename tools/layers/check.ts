// Fails if a package imports what its layer must not, if folders of a package import one another, or if the picture of the
// imports is stale. Run: node tools/layers/check.ts [root]
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { architecturePage, architectureText } from './architecture-page.ts';
import { checkFolders } from './check-folders.ts';
import { checkLayers } from './check-layers.ts';

const repository = join(import.meta.dirname, '../..');
const root = process.argv[2] ?? repository;
const errors: string[] = [];

const violations = checkLayers(root);
errors.push(...violations.map(({ file, line, what, rule }) => `${file}:${line}: ${what}\n    ${rule}`));
if (violations.length > 0) {
  errors.push(`${violations.length} imports or dependencies break the layers (tools/layers/layers.ts).`);
}

const cycles = checkFolders(root);
errors.push(...cycles.map(({ text, places }) => [text, ...places.map((place) => `    ${place}`)].join('\n')));
if (cycles.length > 0) {
  errors.push('Folders of one package must not import one another: move what both need to a folder that both import.');
}

if (existsSync(join(root, architecturePage))) {
  const { current, wanted } = architectureText(root);
  if (current !== wanted)
    errors.push(`${architecturePage}: the picture of the imports is stale; run \`npm run generate\`.`);
}

for (const error of errors) console.error(error);
if (errors.length > 0) process.exitCode = 1;
else console.log('layers: every import keeps to them');
