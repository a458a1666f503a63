// Writes the examples into the guides that link them: node tools/docs/write-examples.ts
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { guidesWithExamples } from './guide-examples.ts';

const root = join(import.meta.dirname, '../..');
for (const { path, text, wanted } of guidesWithExamples(root)) {
  if (text !== wanted) writeFileSync(join(root, path), wanted);
}
