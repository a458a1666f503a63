import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './run.ts';

const project = join(import.meta.dirname, 'author');
const files = ['widget.ts', 'controller.ts', 'main.ts', 'widget.test.ts'];

/** Lines that are neither empty nor imports, beyond which the kit asks too much of an author. */
const mostLines = 70;

/**
 * An author of a controller for a kind of their own: compiled with the settings of `tsc --init`, with declarations checked, and
 * run from the packed packages. The test passes, `--help` answers, and a missing kubeconfig ends the process with 2.
 */
export async function authorErrors(root: string, directory: string): Promise<string[]> {
  const home = join(directory, 'author');
  await cp(project, home, { recursive: true });
  await writeFile(join(home, 'package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const missing = ['main.ts', '--kubeconfig=/nonexistent', '--listen=0'];
  const [compiled, tested, help, ended, lines] = await Promise.all([
    run(join(root, 'node_modules/.bin/tsc'), ['-p', home, '--pretty', 'false'], home, 'author: tsc'),
    run(process.execPath, ['--test', 'widget.test.ts'], home, 'author: test'),
    run(process.execPath, ['main.ts', '--help'], home, 'author: --help'),
    run(process.execPath, missing, home, 'author', 2),
    countLines(),
  ]);
  return [...compiled, ...tested, ...help, ...ended, ...lines];
}

/** What TypeScript 7 writes by `--init`, for Node, without leaving declarations of packages unchecked. */
const compilerOptions = {
  module: 'nodenext',
  target: 'esnext',
  lib: ['esnext'],
  types: ['node'],
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  strict: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  noUncheckedSideEffectImports: true,
  moduleDetection: 'force',
  skipLibCheck: false,
  noEmit: true,
  allowImportingTsExtensions: true,
};

async function countLines(): Promise<string[]> {
  const texts = await Promise.all(files.map((file) => readFile(join(project, file), 'utf8')));
  const code = texts.map((text) => text.replace(/^import [^;]*;$/gm, '')).join('\n');
  const count = code.split('\n').filter((line) => line.trim() !== '').length;
  return count <= mostLines ? [] : [`author: the project has ${count} lines; at most ${mostLines} are expected`];
}
