import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { crdFiles } from './crd-files.ts';

// Writes crds/*.yaml and removes what no kind stands behind any more.
const folder = new URL('../../crds/', import.meta.url);
const files = crdFiles();
mkdirSync(folder, { recursive: true });
for (const name of readdirSync(folder)) if (!files.has(name)) rmSync(new URL(name, folder));
for (const [name, content] of files) writeFileSync(new URL(name, folder), content);
process.stdout.write(`wrote ${files.size} CustomResourceDefinitions to packages/api-types/crds\n`);
