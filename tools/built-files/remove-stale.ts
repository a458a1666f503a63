// Removes from dist what earlier builds made of sources that are gone: the compiler leaves it, and Nx would cache it.
// Run in a package, before the build: node ../../tools/built-files/remove-stale.ts
import { existsSync, globSync, rmSync } from 'node:fs';
import { sourceOf } from './source-of.ts';

for (const built of globSync('dist/**/*.{js,d.ts}')) {
  if (!existsSync(sourceOf(built))) rmSync(built);
}
