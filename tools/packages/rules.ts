import { isBuiltin } from 'node:module';
import { sourceOf } from '../built-files/source-of.ts';
import { importsOf } from '../imports.ts';
import type { Manifest } from '../workspace.ts';

/** What the rules look at: the manifest and the files that would be published. */
export interface PackageContent {
  manifest: Manifest;
  files: ReadonlyMap<string, string>;
}

const builtFile = /^dist\/.*\.(js|d\.ts|json)$/;
const notForUsers =
  /(^|\/)(src|fixtures|node_modules)\/|\.spec\.|\.tsbuildinfo$|(?<!\.d)\.ts$|(^|\/)(tsconfig|vitest)[^/]*$|\.map$/;

/** Only what users need is published, and all of it. */
export function fileProblems({ files }: PackageContent): string[] {
  const leaks = [...files.keys()].filter((path) => notForUsers.test(path));
  const missing = ['README.md', 'LICENSE', 'package.json'].filter((path) => !files.has(path));
  return [
    ...leaks.map(
      (path) => `${path} would be published; leave it out with "files" in package.json or tsconfig.lib.json`,
    ),
    ...missing.map((path) => `${path} is missing`),
    ...([...files.keys()].some((path) => builtFile.test(path))
      ? []
      : ['there is nothing in dist; run the build first']),
  ];
}

/** Files of an earlier build whose source is gone: the compiler leaves them behind, and npm would publish them. */
export function staleProblems({ files }: PackageContent, hasSource: (path: string) => boolean): string[] {
  return [...files.keys()]
    .filter((path) => /^dist\/.*\.js$/.test(path))
    .filter((path) => !hasSource(sourceOf(path)))
    .map((path) => `${path} has no source any more; remove dist and build again`);
}

/** Every target of `exports` and `bin` is there, and modules come with their types. */
export function exportProblems({ manifest, files }: PackageContent): string[] {
  const problems: string[] = [];
  const expect = (path: string, why: string) => {
    if (!files.has(path.replace(/^\.\//, ''))) problems.push(`${why} is ${path}, which would not be published`);
  };
  for (const [subPath, target] of Object.entries(manifest.exports ?? {})) {
    if (typeof target === 'string') expect(target, `exports["${subPath}"]`);
    else if (isConditions(target)) {
      for (const [condition, path] of Object.entries(target)) expect(path, `exports["${subPath}"].${condition}`);
      if (!('types' in target)) problems.push(`exports["${subPath}"] has no types`);
    } else problems.push(`exports["${subPath}"] is neither a path nor a map of conditions to paths`);
  }
  if (!manifest.exports) problems.push('there are no exports in package.json');
  const commands = typeof manifest.bin === 'string' ? { [manifest.name]: manifest.bin } : (manifest.bin ?? {});
  for (const [name, path] of Object.entries(commands)) {
    expect(path, `bin["${name}"]`);
    const text = files.get(path.replace(/^\.\//, ''));
    if (text !== undefined && !text.startsWith('#!/usr/bin/env node\n'))
      problems.push(`${path} has no #!/usr/bin/env node`);
  }
  return problems;
}

const isConditions = (target: unknown): target is Record<string, string> =>
  typeof target === 'object' && target !== null && Object.values(target).every((path) => typeof path === 'string');

/** Every package that a published module or declaration imports is a dependency that npm will install with it. */
export function dependencyProblems({ manifest, files }: PackageContent): string[] {
  const declared = new Set([
    manifest.name,
    ...Object.keys(manifest.dependencies ?? {}),
    ...Object.keys(manifest.optionalDependencies ?? {}),
    ...Object.keys(manifest.peerDependencies ?? {}),
  ]);
  const problems: string[] = [];
  for (const [path, text] of files) {
    if (!/^dist\/.*\.(js|d\.ts)$/.test(path)) continue;
    for (const { specifier, line } of importsOf(path, text)) {
      const place = `${path}:${line} imports ${specifier}`;
      if (specifier.startsWith('.')) {
        if (!files.has(resolved(path, specifier))) problems.push(`${place}, which would not be published`);
      } else if (!isBuiltin(specifier) && !declared.has(packageName(specifier))) {
        problems.push(`${place}, which is not among the dependencies in package.json`);
      }
    }
  }
  return problems;
}

/** Declarations name the module; what they mean is the declaration beside it. */
function resolved(from: string, specifier: string): string {
  const path = new URL(specifier, `file:///${from}`).pathname.slice(1);
  return from.endsWith('.d.ts') ? path.replace(/\.(js|ts)$/, '.d.ts') : path;
}

const packageName = (specifier: string): string => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
