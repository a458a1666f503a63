import { describe, expect, it } from 'vitest';
import type { Manifest } from '../workspace.ts';
import {
  dependencyErrors,
  engineErrors,
  exportErrors,
  fileErrors,
  type PackageContent,
  promises,
  staleErrors,
} from './rules.ts';

const manifest: Manifest = {
  name: '@flotilla/kube',
  exports: {
    '.': { types: './dist/index.d.ts', default: './dist/index.js' },
    './package.json': './package.json',
  },
  dependencies: { rxjs: '^7', '@flotilla/api-types': '0.0.0' },
  devDependencies: { vitest: '^5' },
};

const good: Record<string, string> = {
  'package.json': '{}',
  'README.md': '# kube',
  LICENSE: 'Apache',
  'dist/index.js':
    "import { Subject } from 'rxjs';\nimport { readFile } from 'node:fs/promises';\nexport * from './client.js';\n",
  'dist/index.d.ts': "export * from './client.js';\n",
  'dist/client.js': 'export {};\n',
  'dist/client.d.ts': "import type { ObjectMeta } from '@flotilla/api-types';\nexport type M = ObjectMeta;\n",
};

/** The good package with some files changed; undefined takes one away. */
function content(changes: Record<string, string | undefined> = {}, other: Partial<Manifest> = {}): PackageContent {
  const entries = Object.entries({ ...good, ...changes }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return { manifest: { ...manifest, ...other }, files: new Map(entries) };
}

const allErrors = (packed: PackageContent) => [
  ...fileErrors(packed),
  ...staleErrors(packed, () => true),
  ...exportErrors(packed),
  ...dependencyErrors(packed),
];

describe('a published package', () => {
  it('is fine with built modules, their types, a README and a licence', () => {
    expect(allErrors(content())).toEqual([]);
  });

  it('may bring other files that it names', () => {
    expect(allErrors(content({ 'crds/managedclusters.yaml': 'kind: x' }))).toEqual([]);
  });

  it('may bring the sources of a project that it makes', () => {
    expect(fileErrors(content({ 'template/src/main.ts': '', 'template/test/a.test.ts': '' }))).toEqual([]);
  });

  it.each([
    'src/index.ts',
    'dist/index.spec.js',
    'dist/fixtures/a.js',
    'dist/.tsbuildinfo',
    'dist/index.js.map',
    'index.ts',
    'tsconfig.lib.json',
    'vitest.config.js',
  ])('does not leak %s', (path) => {
    expect(fileErrors(content({ [path]: '' }))).toEqual([expect.stringContaining(`${path} would be published`)]);
  });

  it.each(['README.md', 'LICENSE'])('has a %s', (path) => {
    expect(fileErrors(content({ [path]: undefined }))).toEqual([`${path} is missing`]);
  });

  it('has been built', () => {
    const unbuilt = Object.fromEntries(
      Object.keys(good).flatMap((path) => (path.startsWith('dist/') ? [[path, undefined]] : [])),
    );
    expect(fileErrors(content(unbuilt))).toEqual(['there is nothing in dist; run the build first']);
  });

  it('holds nothing of an earlier build', () => {
    expect(staleErrors(content(), (path) => path !== 'src/client.ts')).toEqual([
      'dist/client.js has no source any more; remove dist and build again',
    ]);
  });

  it('has programs that are bundled from a module of the same name', () => {
    const packed = content({ 'dist/bin/cli.js': '#!/usr/bin/env node\n' });
    expect(staleErrors(packed, (path) => path !== 'src/bin/cli.ts')).toEqual([]);
    expect(staleErrors(packed, (path) => path !== 'src/cli.ts')).toEqual([
      'dist/bin/cli.js has no source any more; remove dist and build again',
    ]);
  });

  it('has every target of its exports, with types', () => {
    const exports = {
      '.': { default: './dist/index.js' },
      './gone': './dist/gone.js',
      './odd': ['./dist/index.js', 1],
    };
    expect(exportErrors(content({}, { exports }))).toEqual([
      'exports["."] has no types',
      'exports["./gone"] is ./dist/gone.js, which would not be published',
      'exports["./odd"] is neither a path nor a map of conditions to paths',
    ]);
  });

  it('has commands that a shell can start', () => {
    const bin = { 'flotilla-a': './dist/a.js', 'flotilla-b': './dist/b.js', 'flotilla-c': './dist/c.js' };
    const files = { 'dist/a.js': '#!/usr/bin/env node\n', 'dist/b.js': 'run();\n' };
    expect(exportErrors(content(files, { bin }))).toEqual([
      './dist/b.js has no #!/usr/bin/env node',
      'bin["flotilla-c"] is ./dist/c.js, which would not be published',
    ]);
  });

  it.each([
    ['a module', 'dist/client.js', "import 'left-pad';"],
    ['a sub-path', 'dist/client.js', "import 'left-pad/deep.js';"],
    ['a scoped package', 'dist/client.js', "await import('@left/pad/deep');"],
    ['a type in a declaration', 'dist/client.d.ts', "export type A = import('left-pad').A;"],
    ['what is only a development dependency', 'dist/client.js', "import 'vitest';"],
  ])('declares what it imports: %s', (_, path, source) => {
    expect(dependencyErrors(content({ [path]: source }))).toEqual([
      expect.stringMatching(
        /^dist\/client\.(js|d\.ts):1 imports .*, which is not among the dependencies in package.json$/,
      ),
    ]);
  });

  it('brings the modules and declarations that its own import', () => {
    expect(dependencyErrors(content({ 'dist/client.js': undefined, 'dist/client.d.ts': undefined }))).toEqual([
      'dist/index.js:3 imports ./client.js, which would not be published',
      'dist/index.d.ts:1 imports ./client.js, which would not be published',
    ]);
  });
});

describe('the promised Node', () => {
  const engines = (node: string) => ({ engines: { node } });
  const types: Manifest = { name: '@flotilla/api-types', ...engines('>=22.15') };
  const errors = (text: string, node: string) =>
    engineErrors(content({ 'dist/client.js': text }, engines(node)), [types]);

  it.each([
    ['nothing late', 'export {};', '>=22.15', []],
    ['a stack of disposables, on the Node that has it', 'new AsyncDisposableStack()', '>=24', []],
    ['one on an older Node', 'const all = new DisposableStack();', '>=22.15', [/dist\/client.js uses .* since 24.0/]],
    [
      'certificates of the system',
      "import { getCACertificates } from 'node:tls';",
      '>=22',
      [/since 22.15/, /needs 22.15/],
    ],
    ['a package that needs a newer one', 'export {};', '>=22.2', [/@flotilla\/api-types needs 22.15/]],
    ['no version', 'export {};', '22', [/must name the oldest Node/]],
  ])('is true of a package with %s', (_, text, node, expected) => {
    expect(errors(text, node)).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
  });

  it('is checked against peers too', () => {
    const peers = { dependencies: {}, peerDependencies: { '@flotilla/api-types': '0.0.0' } };
    const driver = content({}, { ...engines('>=22.2'), ...peers });
    expect(engineErrors(driver, [{ name: '@flotilla/api-types', ...engines('>=22.15') }])).toEqual([
      expect.stringMatching(/@flotilla\/api-types needs 22.15/),
    ]);
  });

  it.each([
    ['>=22.15', '22.15.0', true],
    ['>=22.15', '22.9.0', false],
    ['>=24', '22.15.0', false],
    ['>=22.15', '24.1.2', true],
  ])('%s is kept on %s: %s', (node, version, kept) => {
    expect(promises({ name: 'a', ...engines(node) }, version)).toBe(kept);
  });
});
