// Fails if a function has more lines than a reader keeps in mind: node tools/functions/check.ts
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspacePackages } from '../workspace.ts';
import { longFunctions, mostLines } from './long-functions.ts';

/** Tables of data, each with what is in it. They have one line for each row, and no steps along which to cut. */
const tables: Readonly<Record<string, string>> = {
  'packages/process/src/metrics/prometheus-kit-metrics.ts kitFamilies': 'the metrics of the kit',
};

/** Specs, suites, and what stands up their worlds. */
const isTest = /\.(spec|kube)\.ts$|\/fixtures\/|\/testing\/conformance\//;

const root = join(import.meta.dirname, '../..');
const directories = [...workspacePackages(root).map(({ directory }) => directory), 'tools'].filter(
  (directory) => directory !== 'e2e',
);
const files = globSync(
  directories.map((directory) => `${directory}/**/*.ts`),
  { cwd: root, exclude: (name) => name === 'node_modules' || name === 'dist' },
).map((file) => file.replaceAll('\\', '/'));
const unused = new Set(Object.keys(tables));
const errors = files
  .filter((file) => !isTest.test(file))
  .sort()
  .flatMap((file) =>
    longFunctions(file, readFileSync(join(root, file), 'utf8')).flatMap(({ name, line, lines }) =>
      unused.delete(`${file} ${name}`)
        ? []
        : [`${file}:${line}: ${name} has ${lines} lines; cut it along its steps to ${mostLines} at the most`],
    ),
  );
for (const table of unused)
  errors.push(`tools/functions/check.ts: ${table} is not a long function; remove its exception`);
if (errors.length === 0) console.log(`functions: none has more than ${mostLines} lines`);
else {
  for (const error of errors) console.error(error);
  process.exitCode = 1;
}
