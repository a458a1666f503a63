// Packs the command line as the npm package `flotilla`, which has no dependencies: node tools/bundle/pack-cli.ts DIRECTORY
// Run it after the build. Prints the path of the tarball; `npx --package=./flotilla-X.Y.Z.tgz flotilla` runs it on a machine that has Node only.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Manifest } from '../workspace.ts';

const app = join(import.meta.dirname, '../../apps/cli');
const [destination = '.'] = process.argv.slice(2);
const manifest: Manifest & Record<string, unknown> = JSON.parse(readFileSync(join(app, 'package.json'), 'utf8'));
const { version, description, keywords, homepage, bugs, repository, license, type, engines, bin } = manifest;
const directory = mkdtempSync(join(tmpdir(), 'flotilla-cli-'));
try {
  const published = {
    name: 'flotilla',
    version,
    description,
    keywords,
    homepage,
    bugs,
    repository,
    license,
    type,
    engines,
    bin,
  };
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  for (const name of ['dist', 'README.md']) cpSync(join(app, name), join(directory, name), { recursive: true });
  cpSync(join(app, '../../LICENSE'), join(directory, 'LICENSE'));
  mkdirSync(destination, { recursive: true });
  const flags = ['pack', '--json', '--ignore-scripts', '--pack-destination', resolve(destination)];
  const [{ filename }] = JSON.parse(execFileSync('npm', flags, { cwd: directory, encoding: 'utf8' }));
  console.log(join(resolve(destination), filename));
} finally {
  rmSync(directory, { recursive: true });
}
