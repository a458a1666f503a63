// Makes what a program is shipped as: a file with the module and all it imports, files with what it imports when it needs them, and the
// file that `bin` of package.json names, which starts it or says that Node is too old. What package.json calls optional stays outside;
// its `v8Flags` are set before the program runs.
// Run in the package: node ../../tools/bundle/bundle.ts [src/main.ts]
import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Manifest } from '../workspace.ts';
import { bundleProgram } from './bundle-program.ts';
import { launcherText } from './launcher.ts';
import { withV8Flags } from './v8-flags.ts';

const manifest: Manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const { name, bin, engines, v8Flags = [], optionalDependencies = {} } = manifest;
const [command, ...others] = Object.entries(typeof bin === 'string' ? { [name]: bin } : (bin ?? {}));
if (command === undefined || others.length > 0) throw new Error('package.json must name exactly one file in "bin"');
const [commandName, outfile] = command;

const main = basename(outfile).replace(/\.js$/, '.main');
const { files, notices } = await bundleProgram(
  resolve(process.argv[2] ?? 'src/main.ts'),
  main,
  Object.keys(optionalDependencies),
);
await rm(dirname(outfile), { recursive: true, force: true });
await mkdir(dirname(outfile), { recursive: true });
const launcher = launcherText({ file: `${main}.js`, name: commandName, engines: engines?.node ?? '' });
await writeFile(outfile, launcher, { mode: 0o755 });
for (const [file, text] of files) {
  const isEntry = file === `${main}.js`;
  await writeFile(join(dirname(outfile), file), isEntry ? withV8Flags(text, v8Flags) : text);
}
await writeFile(outfile.replace(/\.js$/, '.notices.txt'), notices);
