import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import type { Manifest } from '../workspace.ts';

/** Packages whose API is documented on the site. */
const documented = ['packages/kube', 'packages/control-plane', 'packages/registration-core'];

/** Writes the API reference of each package, one page for each of its entry points. Fails for an export without a comment. */
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
    requiredToBeDocumented: ['Class', 'Enum', 'Function', 'Interface', 'TypeAlias', 'Variable'],
    validation: { notDocumented: true, notExported: false, invalidLink: false },
    logLevel: 'Warn',
  };
  const file = join(directory, `${basename(path)}.typedoc.json`);
  await writeFile(file, JSON.stringify(options));
  const { stderr } = await promisify(execFile)(join(root, 'docs/node_modules/.bin/typedoc'), ['--options', file], {
    cwd: join(root, 'docs'),
  });
  const missing = undocumentedIn(stderr, options.entryPoints.length > 1);
  if (missing.length > 0) throw new Error(`${manifest.name} exports without a doc comment: ${missing.join(', ')}`);
  await rm(file);
}

/**
 * The exports that TypeDoc misses a comment of. Members are left to their authors: a name often says enough. So are the kinds of
 * Kubernetes, whose names are their documentation.
 */
export function undocumentedIn(output: string, severalEntryPoints: boolean): string[] {
  return [...stripVTControlCharacters(output).matchAll(/\] (\S+) \(\w+\), defined in (\S+), does not have any doc/g)]
    .filter(([, , file = '']) => !file.includes('/src/kinds/'))
    .map(([, name = '']) => name)
    .filter((name) => name.split('.').length === (severalEntryPoints ? 2 : 1));
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
