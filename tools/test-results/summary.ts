// Prints the tests of all runs that left their results behind, as CI has them do: node tools/test-results/summary.ts
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countTests } from './count-tests.ts';

const root = join(import.meta.dirname, '../..');
const files = globSync(['{packages,apps}/*/.vitest/results.json', '{tools,e2e}/.vitest/results.json'], { cwd: root });
const { passed, failed } = countTests(files.map((file) => JSON.parse(readFileSync(join(root, file), 'utf8'))));
console.log(`${passed} passed, ${failed} failed`);
