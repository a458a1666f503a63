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
  it('the root loads no library, no schema and no validator', async () => {
    const files = await loadedBy('./index.ts');
    expect(files.filter((file) => /node_modules|\/(define|validation|cel)\//.test(file))).toEqual([]);
  });

  it('validation of any schema does without the schema library', async () => {
    const files = await loadedBy('./validation/index.ts');
    expect(files.filter((file) => file.includes('node_modules/typebox'))).toEqual([]);
    expect(files.some((file) => file.includes('cel-js'))).toBe(true);
  });
});
