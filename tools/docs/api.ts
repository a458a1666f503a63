import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { Manifest } from '../workspace.ts';

/** Packages whose API is documented on the site. */
const documented = ['packages/kube', 'packages/control-plane', 'packages/registration-core'];

/** Writes the API reference of each package, one page for each of its entry points. */
export async function writeApiPages(root: string): Promise<void> {
  const directory = join(root, 'docs/reference/api');
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  await Promise.all(documented.map((path) => writePackage(root, path, directory)));
}

async function writePackage(root: string, path: string, directory: string): Promise<void> {
  const manifest: Manifest = JSON.parse(await readFile(join(root, path, 'package.json'), 'utf8'));
  const options = {
    name: manifest.name,
    entryPoints: sourcesOf(manifest).map((source) => join(root, path, source)),
    tsconfig: join(root, path, 'tsconfig.lib.json'),
    // The compiler of the workspace has checked the sources; this one is older and only reads them.
    skipErrorChecking: true,
    plugin: ['typedoc-plugin-markdown'],
    out: join(directory, basename(path)),
    outputFileStrategy: 'modules',
    entryFileName: 'modules.md',
    readme: 'none',
    disableSources: true,
    excludeInternal: true,
    hideBreadcrumbs: true,
    hidePageHeader: true,
    sanitizeComments: true,
    validation: false,
    logLevel: 'Warn',
  };
  const file = join(directory, `${basename(path)}.typedoc.json`);
  await writeFile(file, JSON.stringify(options));
  await promisify(execFile)(join(root, 'docs/node_modules/.bin/typedoc'), ['--options', file], {
    cwd: join(root, 'docs'),
  });
  await rm(file);
}

/** The sources of the entry points: `dist/clock/index.js` is compiled from `src/clock/index.ts`. */
export function sourcesOf({ exports = {} }: Manifest): string[] {
  return Object.values(exports).flatMap((target) =>
    typeof target === 'object' && target !== null && 'types' in target
      ? [
          String(target.types)
            .replace(/^\.\/dist\//, 'src/')
            .replace(/\.d\.ts$/, '.ts'),
        ]
      : [],
  );
}
