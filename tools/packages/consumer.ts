import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { PackedPackage } from './pack.ts';

/**
 * A user of the packages: a directory in which they are installed from their tarballs, each with links to its declared
 * dependencies and to nothing else. Imports every entry point, by the compiler and by Node.
 */
export async function consumerProblems(root: string, packages: readonly PackedPackage[]): Promise<string[]> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'flotilla-consumer-')));
  try {
    for (const packed of packages) await install(root, directory, packed);
    const entries = packages.flatMap(({ manifest }) =>
      Object.keys(manifest.exports ?? {})
        .filter((subPath) => !subPath.endsWith('.json'))
        .map((subPath) => manifest.name + subPath.slice(1)),
    );
    const lines = entries.map((entry, index) => `import * as entry${index} from '${entry}';`);
    const uses = `console.log([${entries.map((_, index) => `entry${index}`).join(', ')}].length);`;
    await writeFile(join(directory, 'consumer.mts'), [...lines, uses].join('\n'));
    await writeFile(join(directory, 'consumer.mjs'), [...lines, uses].join('\n'));
    await symlink(join(root, 'node_modules/@types'), join(directory, 'node_modules/@types'));
    const results = await Promise.all([
      compile(root, directory),
      run(process.execPath, ['consumer.mjs'], directory, 'node'),
    ]);
    return results.flat();
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function install(
  root: string,
  directory: string,
  { directory: source, manifest, files }: PackedPackage,
): Promise<void> {
  const target = join(directory, 'node_modules', manifest.name);
  for (const [path, text] of files) {
    await mkdir(dirname(join(target, path)), { recursive: true });
    await writeFile(join(target, path), text);
  }
  const dependencies = { ...manifest.dependencies, ...manifest.peerDependencies };
  for (const name of Object.keys(dependencies)) {
    const candidates = [join(root, source, 'node_modules', name), join(root, 'node_modules', name)];
    const installed = candidates.find((candidate) => existsSync(candidate));
    // Packages of the workspace are found beside this one, as their tarballs have them.
    if (!installed || existsSync(join(directory, 'node_modules', name)) || name.startsWith('@flotilla/')) continue;
    const link = join(target, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(installed, link);
  }
}

async function compile(root: string, directory: string): Promise<string[]> {
  const project = join(directory, 'tsconfig.json');
  const compilerOptions = {
    target: 'es2024',
    module: 'nodenext',
    lib: ['es2024', 'esnext.disposable'],
    types: ['node'],
    strict: true,
    noEmit: true,
    // Our declarations are checked too: an import in them that does not resolve would silently be `any` otherwise.
    skipLibCheck: false,
  };
  await writeFile(project, JSON.stringify({ compilerOptions, files: ['consumer.mts'] }));
  const problems = await run(
    join(root, 'node_modules/.bin/tsc'),
    ['-p', project, '--pretty', 'false'],
    directory,
    'tsc',
  );
  return problems.filter((line) => line.includes('consumer.mts') || line.includes('node_modules/@flotilla/'));
}

async function run(command: string, flags: string[], cwd: string, label: string): Promise<string[]> {
  try {
    await promisify(execFile)(command, flags, { cwd });
    return [];
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    const output = `${stdout}\n${stderr}`.split('\n').filter((line) => line.trim() !== '');
    return (output.length > 0 ? output : [String(error)]).map((line) => `${label}: ${line}`);
  }
}
