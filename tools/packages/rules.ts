import { isBuiltin } from 'node:module';
import { sourceOf } from '../built-files/source-of.ts';
import { importsOf } from '../imports.ts';
import type { Manifest } from '../workspace.ts';

/** What the rules check: the manifest and the files that would be published. */
export interface PackageContent {
  manifest: Manifest;
  files: ReadonlyMap<string, string>;
}

const builtFile = /^dist\/.*\.(js|d\.ts|json)$/;
const notForUsers =
  /(^|\/)(src|fixtures|node_modules)\/|\.spec\.|\.tsbuildinfo$|(?<!\.d)\.ts$|(^|\/)(tsconfig|vitest)[^/]*$|\.map$/;

/** Sources of a project that the program of a package makes for its user. */
const template = /^template\//;

/** Only what users need is published, and all of it. */
export function fileErrors({ files }: PackageContent): string[] {
  const leaks = [...files.keys()].filter((path) => notForUsers.test(path) && !template.test(path));
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
export function staleErrors({ files }: PackageContent, hasSource: (path: string) => boolean): string[] {
  return [...files.keys()]
    .filter((path) => /^dist\/.*\.js$/.test(path))
    .filter((path) => !hasSource(sourceOf(path)))
    .map((path) => `${path} has no source any more; remove dist and build again`);
}

/** Every target of `exports` and `bin` is there, and modules come with their types. */
export function exportErrors({ manifest, files }: PackageContent): string[] {
  const errors: string[] = [];
  const expect = (path: string, why: string) => {
    if (!files.has(path.replace(/^\.\//, ''))) errors.push(`${why} is ${path}, which would not be published`);
  };
  for (const [subPath, target] of Object.entries(manifest.exports ?? {})) {
    if (typeof target === 'string') expect(target, `exports["${subPath}"]`);
    else if (isConditions(target)) {
      for (const [condition, path] of Object.entries(target)) expect(path, `exports["${subPath}"].${condition}`);
      if (!('types' in target)) errors.push(`exports["${subPath}"] has no types`);
    } else errors.push(`exports["${subPath}"] is neither a path nor a map of conditions to paths`);
  }
  if (!manifest.exports) errors.push('there are no exports in package.json');
  const commands = typeof manifest.bin === 'string' ? { [manifest.name]: manifest.bin } : (manifest.bin ?? {});
  for (const [name, path] of Object.entries(commands)) {
    expect(path, `bin["${name}"]`);
    const text = files.get(path.replace(/^\.\//, ''));
    if (text !== undefined && !text.startsWith('#!/usr/bin/env node\n'))
      errors.push(`${path} has no #!/usr/bin/env node`);
  }
  return errors;
}

const isConditions = (target: unknown): target is Record<string, string> =>
  typeof target === 'object' && target !== null && Object.values(target).every((path) => typeof path === 'string');

/** Every package that a published module or declaration imports is a dependency that npm will install with it. */
export function dependencyErrors({ manifest, files }: PackageContent): string[] {
  const declared = new Set([
    manifest.name,
    ...Object.keys(manifest.dependencies ?? {}),
    ...Object.keys(manifest.optionalDependencies ?? {}),
    ...Object.keys(manifest.peerDependencies ?? {}),
  ]);
  const errors: string[] = [];
  for (const [path, text] of files) {
    if (!/^dist\/.*\.(js|d\.ts)$/.test(path)) continue;
    for (const { specifier, line } of importsOf(path, text)) {
      const place = `${path}:${line} imports ${specifier}`;
      if (specifier.startsWith('.')) {
        if (!files.has(resolved(path, specifier))) errors.push(`${place}, which would not be published`);
      } else if (!isBuiltin(specifier) && !declared.has(packageName(specifier))) {
        errors.push(`${place}, which is not among the dependencies in package.json`);
      }
    }
  }
  return errors;
}

/** Declarations name the module; what they mean is the declaration beside it. */
function resolved(from: string, specifier: string): string {
  const path = new URL(specifier, `file:///${from}`).pathname.slice(1);
  return from.endsWith('.d.ts') ? path.replace(/\.(js|ts)$/, '.d.ts') : path;
}

const packageName = (specifier: string): string => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');

/** What of Node has come late, with the version that brought it: an import alone would not find that it is missing. */
const arrivals: readonly (readonly [api: RegExp, version: string])[] = [
  [/\bnew (?:Async)?DisposableStack\b/, '24.0'],
  [/^\s*(?:await )?using \w+ =/m, '24.0'],
  [/\bgetCACertificates\b/, '22.15'],
  [/\bmkdtempDisposable\b/, '24.4'],
];

/** A package promises only Nodes that have what it and the packages of this workspace below it use. */
export function engineErrors({ manifest, files }: PackageContent, others: readonly Manifest[]): string[] {
  const promised = leastNode(manifest);
  if (promised === undefined) return ['"engines" in package.json must name the oldest Node, as ">=22.15"'];
  const modules = [...files].filter(([path]) => /^dist\/.*\.js$/.test(path) && !path.startsWith('dist/bin/'));
  const late = modules.flatMap(([path, text]) =>
    arrivals
      .filter(([api, version]) => api.test(text) && isOlder(promised, version))
      .map(
        ([api, version]) => `${path} uses ${api.source}, which Node has since ${version}; engines promises ${promised}`,
      ),
  );
  const needed = { ...manifest.dependencies, ...manifest.peerDependencies };
  const below = others.filter(({ name }) => Object.hasOwn(needed, name));
  const promisedLess = below.flatMap((other) => {
    const least = leastNode(other) ?? promised;
    return isOlder(promised, least) ? [`engines promises ${promised}, but ${other.name} needs ${least}`] : [];
  });
  return [...late, ...promisedLess];
}

/** Whether a package promises to run on a version of Node. */
export function promises(manifest: Manifest, version: string): boolean {
  const least = leastNode(manifest);
  return least !== undefined && !isOlder(version, least);
}

const leastNode = ({ engines }: Manifest): string | undefined => /^>=(\d+(?:\.\d+)*)$/.exec(engines?.node ?? '')?.[1];

function isOlder(version: string, other: string): boolean {
  const parts = (text: string) => text.split('.').map(Number);
  const [a, b] = [parts(version), parts(other)];
  const at = [0, 1, 2].find((index) => (a[index] ?? 0) !== (b[index] ?? 0));
  return at !== undefined && (a[at] ?? 0) < (b[at] ?? 0);
}
