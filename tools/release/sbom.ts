// Writes what a release is made of: node tools/release/sbom.ts [DIRECTORY]. `sbom.cdx.json` is CycloneDX, `licences.md` lists the licence
// of each package that is shipped. Fails if one has no licence, or one that a user would have to ask a lawyer about.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Component, licenceErrors, licenceTable } from './licences.ts';

const [directory = 'dist'] = process.argv.slice(2);
const flags = ['sbom', '--package-lock-only', '--omit=dev', '--omit=optional', '--sbom-format=cyclonedx'];
const text = execFileSync('npm', flags, { encoding: 'utf8', maxBuffer: 2 ** 27 });
const { components: found }: { components: Component[] } = JSON.parse(text);
/** Tests and benchmarks are workspaces too, and not shipped. */
const components = found.filter(({ name }) => name !== 'bench' && name !== 'e2e');
mkdirSync(directory, { recursive: true });
writeFileSync(join(directory, 'sbom.cdx.json'), text);
writeFileSync(join(directory, 'licences.md'), licenceTable(components));
const errors = licenceErrors(components);
if (errors.length === 0) console.log(`sbom: ${components.length} packages, all under licences that allow to ship them`);
else {
  console.error(['sbom:', ...errors].join('\n    '));
  process.exitCode = 1;
}
