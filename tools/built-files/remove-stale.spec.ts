import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

it('removes what was built from sources that are gone, and nothing else', () => {
  const directory = mkdtempSync(join(tmpdir(), 'flotilla-dist-'));
  const kept = [
    'dist/a/here.d.ts',
    'dist/a/here.js',
    'dist/bin/cli.js',
    'dist/bin/cli.main.chunk-2ALQOQSA.js',
    'dist/bin/cli.main.js',
    'dist/table.json',
  ];
  for (const path of [
    ...kept,
    'dist/a/gone.js',
    'dist/a/gone.d.ts',
    'dist/bin/gone.js',
    'src/a/here.ts',
    'src/cli.ts',
  ]) {
    mkdirSync(dirname(join(directory, 'packages/one', path)), { recursive: true });
    writeFileSync(join(directory, 'packages/one', path), '');
  }
  try {
    execFileSync(process.execPath, [join(import.meta.dirname, 'remove-stale.ts')], { cwd: directory });
    expect(globSync('dist/**/*.*', { cwd: join(directory, 'packages/one') }).sort()).toEqual(kept);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
