// Packs all packages, and the command `flotilla`, for projects outside of this repository: npm run pack:local -- DIRECTORY
// `packages.json` in the directory says which tarball is which package: `create-flotilla-addon --from DIRECTORY` reads it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { workspacePackages } from '../workspace.ts';
import { packInto } from './pack.ts';

const root = join(import.meta.dirname, '../..');
const [given] = process.argv.slice(2);
if (given === undefined) {
  console.error('Error: name a directory: npm run pack:local -- DIRECTORY');
  process.exit(2);
}
// npm runs scripts at the root, wherever a user calls them.
const directory = resolve(process.env.INIT_CWD ?? '.', given);
mkdirSync(directory, { recursive: true });
const packages = workspacePackages(root).filter(({ manifest }) => !manifest.private);
const packed = await packInto(root, packages, directory);
const index = Object.fromEntries(packed.map(({ name, filename }) => [name, filename]));
writeFileSync(join(directory, 'packages.json'), `${JSON.stringify(index, null, 2)}\n`);
execFileSync(process.execPath, [join(root, 'tools/bundle/pack-cli.ts'), directory]);
console.log(`Packed ${packed.length} packages and the command flotilla into ${directory}`);
