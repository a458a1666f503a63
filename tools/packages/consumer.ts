import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { addonProjectErrors } from './addon-project.ts';
import { authorErrors } from './author.ts';
import type { TriedNode } from './oldest-node.ts';
import type { PackedPackage } from './pack.ts';
import { promises } from './rules.ts';
import { run } from './run.ts';

/** Node as a user may have it. */
const thisNode: TriedNode = { version: process.versions.node, path: process.execPath };

/**
 * A user of the packages: a directory in which they are installed from their tarballs, each with links to its declared
 * dependencies and to nothing else. Imports every entry point, by the compiler and by Node: by this one, and by the oldest one
 * those of packages that promise to run on it.
 */
export async function consumerErrors(
  root: string,
  packages: readonly PackedPackage[],
  oldest: TriedNode | undefined,
): Promise<string[]> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'flotilla-consumer-')));
  try {
    for (const packed of packages) await install(root, directory, packed);
    await writeFile(join(directory, 'consumer.mts'), importing(packages));
    await symlink(join(root, 'node_modules/@types'), join(directory, 'node_modules/@types'));
    const results = await Promise.all([
      compile(root, directory),
      authorErrors(root, directory),
      addonProjectErrors(root, directory, new Set(packages.map(({ manifest }) => manifest.name))),
      ...[thisNode, ...(oldest ? [oldest] : [])].map(async (node) => {
        const promised = packages.filter(({ manifest }) => promises(manifest, node.version));
        if (promised.length === 0) return [`no package promises to run on Node ${node.version}, which is tried`];
        const file = `consumer-${node.version}.mjs`;
        await writeFile(join(directory, file), importing(promised));
        return run(node.path, [file], directory, `node ${node.version}`);
      }),
    ]);
    return results.flat();
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** A program that imports every entry point of packages. */
function importing(packages: readonly PackedPackage[]): string {
  const entries = packages.flatMap(({ manifest }) =>
    Object.keys(manifest.exports ?? {})
      .filter((subPath) => !subPath.endsWith('.json'))
      .map((subPath) => manifest.name + subPath.slice(1)),
  );
  const lines = entries.map((entry, index) => `import * as entry${index} from '${entry}';`);
  const uses = `console.log([${entries.map((_, index) => `entry${index}`).join(', ')}].length);`;
  return [...lines, uses].join('\n');
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
  const errors = await run(join(root, 'node_modules/.bin/tsc'), ['-p', project, '--pretty', 'false'], directory, 'tsc');
  return errors.filter((line) => line.includes('consumer.mts') || line.includes('node_modules/@flotilla/'));
}
