// Writes deploy/charts/*, deploy/cluster-manager and deploy/klusterlet. Run by `npm run generate`, after the packages are built.
import { mkdirSync, writeFileSync } from 'node:fs';
import { writeManifestFiles } from '@flotilla/install/deploy';
import { charts, manifests } from './charts.ts';

for (const { directory, files } of await charts()) {
  for (const { path, text } of files) {
    const file = new URL(path, directory);
    mkdirSync(new URL('.', file), { recursive: true });
    writeFileSync(file, text);
  }
}
for (const { directory, files } of await manifests()) writeManifestFiles(directory, files);
