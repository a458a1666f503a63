import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

/** The files that a program loads which imports this one. */
const loadedBy = async (file: string): Promise<string[]> => {
  const entry = fileURLToPath(new URL(file, import.meta.url));
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
    metafile: true,
    // Every imported module counts, whether it is used or not, as in a program that is not bundled.
    treeShaking: false,
    ignoreAnnotations: true,
  });
  return Object.keys(metafile.inputs);
};

describe('what a program pays for', () => {
  it('types, resource types and names load no library and no schema', async () => {
    const files = await loadedBy('./index.ts');
    expect(files.filter((file) => /node_modules|\/kinds\/|\/schema\//.test(file))).toEqual([]);
  });
});
