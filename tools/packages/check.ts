// Fails if a package would not be good on npm. Run after the build: node tools/packages/check.ts
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { workspacePackages } from '../workspace.ts';
import { consumerProblems } from './consumer.ts';
import { publintProblems, typesProblems } from './linters.ts';
import { packAll } from './pack.ts';
import { dependencyProblems, exportProblems, fileProblems, staleProblems } from './rules.ts';

const root = join(import.meta.dirname, '../..');
const packages = await packAll(
  root,
  workspacePackages(root).filter(({ manifest }) => !manifest.private),
);

let count = 0;
const report = (title: string, problems: readonly string[]) => {
  count += problems.length;
  console.log(problems.length === 0 ? `${title}: ok` : [`${title}:`, ...problems].join('\n    '));
};

for (const packed of packages) {
  report(`${packed.manifest.name} (${packed.files.size} files)`, [
    ...fileProblems(packed),
    ...staleProblems(packed, (path) => existsSync(join(root, packed.directory, path))),
    ...exportProblems(packed),
    ...dependencyProblems(packed),
    ...(await publintProblems(packed)),
    ...(await typesProblems(packed)),
  ]);
}
report('imported by a user, compiled and run', await consumerProblems(root, packages));
if (count > 0) {
  console.error(`\n${count} problems would be published.`);
  process.exitCode = 1;
}
