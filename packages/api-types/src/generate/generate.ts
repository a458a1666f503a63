import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { conversionFiles, crdFiles } from './crd-files.ts';

// Writes crds/**.yaml and removes files of kinds that no longer exist.
const write = (path: string, files: ReadonlyMap<string, string>): void => {
  const folder = new URL(`../../${path}/`, import.meta.url);
  mkdirSync(folder, { recursive: true });
  const stale = readdirSync(folder).filter((name) => name.endsWith('.yaml') && !files.has(name));
  for (const name of stale) rmSync(new URL(name, folder));
  for (const [name, content] of files) writeFileSync(new URL(name, folder), content);
  process.stdout.write(`wrote ${files.size} CustomResourceDefinitions to packages/api-types/${path}\n`);
};
write('crds', crdFiles());
write('crds/conversion', conversionFiles());
