// Prints the tests of all runs that left their results behind, as CI has them do: node tools/test-results/summary.ts
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countTests, summaryLines } from './count-tests.ts';

const root = join(import.meta.dirname, '../..');
const read = (pattern: string) =>
  globSync(pattern, { cwd: root }).map((file) => JSON.parse(readFileSync(join(root, file), 'utf8')));
const counts = countTests(read('{.,e2e}/.vitest/*results.json'));
console.log(summaryLines(counts, read('e2e/.vitest/*.second-tries.json').flat()).join('\n'));
