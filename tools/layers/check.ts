// Fails if a package imports what its layer may not. Run: node tools/layers/check.ts [root]
import { join } from 'node:path';
import { checkLayers } from './check-layers.ts';

const root = process.argv[2] ?? join(import.meta.dirname, '../..');
const violations = checkLayers(root);
for (const { file, line, what, rule } of violations) console.error(`${file}:${line}: ${what}\n    ${rule}`);
if (violations.length > 0) {
  console.error(`\n${violations.length} imports or dependencies break the layers (tools/layers/layers.ts).`);
  process.exitCode = 1;
} else {
  console.log('layers: every import keeps to them');
}
