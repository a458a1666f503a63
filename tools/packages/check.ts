// Fails if a package would not be good on npm. Run after the build: node tools/packages/check.ts
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { rootManifest, workspacePackages } from '../workspace.ts';
import { consumerErrors } from './consumer.ts';
import { publintErrors, typesErrors } from './linters.ts';
import { metadataErrors } from './metadata.ts';
import { oldestNode } from './oldest-node.ts';
import { packAll } from './pack.ts';
import { dependencyErrors, engineErrors, exportErrors, fileErrors, staleErrors } from './rules.ts';

const root = join(import.meta.dirname, '../..');
const members = workspacePackages(root);
const packages = await packAll(
  root,
  members.filter(({ manifest }) => !manifest.private),
);

let count = 0;
const report = (title: string, errors: readonly string[]) => {
  count += errors.length;
  console.log(errors.length === 0 ? `${title}: ok` : [`${title}:`, ...errors].join('\n    '));
};

for (const member of members.filter(({ directory }) => /^(packages|apps)\//.test(directory))) {
  const errors = metadataErrors(member, rootManifest(root));
  if (errors.length > 0) report(`metadata of ${member.manifest.name}`, errors);
}
for (const packed of packages) {
  report(`${packed.manifest.name} (${packed.files.size} files)`, [
    ...fileErrors(packed),
    ...staleErrors(packed, (path) => existsSync(join(root, packed.directory, path))),
    ...exportErrors(packed),
    ...dependencyErrors(packed),
    ...engineErrors(
      packed,
      packages.map(({ manifest }) => manifest),
    ),
    ...(await publintErrors(packed)),
    ...(await typesErrors(packed)),
  ]);
}
const oldest = await oldestNode();
const nodes = oldest ? `Node ${process.versions.node} and ${oldest.version}` : `Node ${process.versions.node} alone`;
report(`imported by a user, compiled, and run on ${nodes}`, await consumerErrors(root, packages, oldest));
if (count > 0) {
  console.error(`\n${count} errors would be published.`);
  process.exitCode = 1;
}
