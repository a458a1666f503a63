// Makes the programs of a package: each `bin` in dist/bin/ is the module of the same name in dist/ as one file.
// Run in the package's directory, after the compiler: node ../../tools/bundle/run.ts
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Manifest } from '../workspace.ts';
import { bundleProgram } from './bundle-program.ts';

const manifest: Manifest = JSON.parse(await readFile('package.json', 'utf8'));
const programs = Object.values(typeof manifest.bin === 'object' ? manifest.bin : {});
for (const program of programs.filter((path) => path.startsWith('./dist/bin/'))) {
  const { text, notices } = await bundleProgram(resolve('dist', basename(program)));
  await mkdir(dirname(program), { recursive: true });
  await writeFile(program, text);
  await chmod(program, 0o755);
  await writeFile(join(dirname(program), `${basename(program, '.js')}.notices.txt`), `${notices}\n`);
}
