import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Import, importsOf } from '../imports.ts';

/** A file of a package, with what it imports. */
export interface SourceFile {
  /** Relative to the root, with `/`. */
  path: string;
  /** A spec, a suite or a fixture: no part of what the package does. */
  isTest: boolean;
  imports: readonly Import[];
}

const testFile = /\.(spec|kube)\.[a-z]+$|\/(fixtures|examples)\//;

/** The files of a package, without what was built or installed. */
export function sourceFiles(root: string, directory: string): SourceFile[] {
  const names = globSync('**/*.{ts,mts,cts,tsx,js,mjs,cjs}', {
    cwd: join(root, directory),
    exclude: (name) => name === 'node_modules' || name === 'dist',
  });
  return names.sort().map((name) => {
    const path = `${directory}/${name.replaceAll('\\', '/')}`;
    return { path, isTest: testFile.test(path), imports: importsOf(path, readFileSync(join(root, path), 'utf8')) };
  });
}
