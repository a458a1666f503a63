// Removes from the dist of packages what earlier builds made of sources that are gone: the compiler leaves it.
// Run in the root of the repository, before the build: node tools/built-files/remove-stale.ts
import { existsSync, globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sourceOf } from './source-of.ts';

for (const directory of globSync('packages/*')) {
  for (const built of globSync('dist/**/*.{js,d.ts}', { cwd: directory })) {
    if (!existsSync(join(directory, sourceOf(built)))) rmSync(join(directory, built));
  }
}
