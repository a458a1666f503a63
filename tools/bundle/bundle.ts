// Makes the one file that a program is shipped as: the module and all it imports, under the name in `bin` of package.json.
// What package.json calls optional stays outside.
// Run in the package: node ../../tools/bundle/bundle.ts [src/main.ts]
import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Manifest } from '../workspace.ts';
import { bundleProgram } from './bundle-program.ts';

const { bin, optionalDependencies = {} }: Manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const [outfile, ...others] = typeof bin === 'string' ? [bin] : Object.values(bin ?? {});
if (outfile === undefined || others.length > 0) throw new Error('package.json must name exactly one file in "bin"');

const { text, notices } = await bundleProgram(
  resolve(process.argv[2] ?? 'src/main.ts'),
  Object.keys(optionalDependencies),
);
await rm(dirname(outfile), { recursive: true, force: true });
await mkdir(dirname(outfile), { recursive: true });
await writeFile(outfile, text, { mode: 0o755 });
await writeFile(outfile.replace(/\.js$/, '.notices.txt'), notices);
