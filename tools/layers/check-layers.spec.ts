import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { writeArchitecture } from './architecture-page.ts';
import { checkLayers } from './check-layers.ts';

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

const manifests: Record<string, object> = {
  'packages/schema': {},
  'packages/api-types': {},
  'packages/kube': { exports: { '.': './dist/index.js', './testing': './dist/testing/index.js' } },
  'packages/envtest': {},
  'packages/control-plane': {},
  'packages/registration-core': {
    exports: {
      '.': './dist/index.js',
      './contract': './dist/contract.js',
      './certificates': './dist/certificates.js',
      './testing': './dist/testing.js',
    },
  },
  'packages/work-agent': {},
  'packages/driver-csr': {},
  'packages/driver-grpc': {},
  'packages/hub-runtime': {},
  'apps/hub': {},
  'apps/agent': {},
  e2e: {},
};

/** A repository with all of the packages above and the given files; a package.json of a file list replaces the one above. */
function repository(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'flotilla-layers-'));
  roots.push(root);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write('package.json', JSON.stringify({ workspaces: ['packages/*', 'apps/*', 'e2e'] }));
  for (const [directory, manifest] of Object.entries(manifests)) {
    const name = `@flotilla/${directory.split('/').at(-1)}`;
    write(
      `${directory}/package.json`,
      JSON.stringify({ name, exports: { '.': './dist/index.js' }, ...manifest }, null, 2),
    );
  }
  for (const [path, text] of Object.entries(files)) write(path, text);
  return root;
}

const check = (file: string, source: string) => checkLayers(repository({ [file]: source }));

describe('the layers allow', () => {
  it.each([
    ['a driver to import the contract', 'packages/driver-csr/src/agent.ts', '@flotilla/registration-core/contract'],
    [
      'a driver to import the certificate machinery',
      'packages/driver-csr/src/agent.ts',
      '@flotilla/registration-core/certificates',
    ],
    [
      'a spec of a driver to import the conformance suite',
      'packages/driver-csr/src/agent.spec.ts',
      '@flotilla/registration-core/testing',
    ],
    ['a driver to import the kit', 'packages/driver-csr/src/agent.ts', '@flotilla/kube'],
    ['a driver to import the types', 'packages/driver-csr/src/agent.ts', '@flotilla/api-types'],
    ['a sub-path that is exported', 'packages/work-agent/src/index.ts', '@flotilla/kube/testing'],
    ['the kit to import schemas', 'packages/kube/src/index.ts', '@flotilla/schema'],
    ['the control plane to import the types', 'packages/control-plane/src/cli.ts', '@flotilla/api-types'],
    ['envtest to import kube', 'packages/envtest/src/index.ts', '@flotilla/kube'],
    ['the control plane to import kube', 'packages/control-plane/src/index.ts', '@flotilla/kube'],
    ['an example of a composition to list a driver', 'packages/hub-runtime/examples/a.ts', '@flotilla/driver-csr'],
    ['an app to import a driver', 'apps/hub/src/main.ts', '@flotilla/driver-csr'],
    ['an app to import the whole of the core', 'apps/hub/src/main.ts', '@flotilla/registration-core'],
    ['whole-system tests to import anything', 'e2e/join.kube.ts', '@flotilla/driver-csr'],
    ['whole-system tests to run an example', 'e2e/example.kube.ts', '../packages/kube/examples/controller.ts'],
    ['whole-system tests to use a fixture', 'e2e/example.kube.ts', '../packages/kube/fixtures/cases.ts'],
    ['a package to name itself', 'packages/kube/src/example.spec.ts', '@flotilla/kube'],
    ['a file of the same package', 'packages/kube/src/a/b.ts', '../c.ts'],
    ['the shared configuration of vitest', 'packages/kube/vitest.config.ts', '../../vitest.shared.ts'],
    ['other libraries', 'packages/kube/src/index.ts', 'rxjs'],
    ['modules of Node', 'packages/kube/src/index.ts', 'node:fs'],
  ])('%s', (_, file, specifier) => {
    expect(check(file, `import '${specifier}';`)).toEqual([]);
  });
});

describe('the layers forbid', () => {
  it.each([
    [
      'kube to import kinds of OCM',
      'packages/kube/src/index.ts',
      '@flotilla/api-types',
      /knows nothing of Open Cluster/,
    ],
    [
      'a driver to import another driver',
      'packages/driver-csr/src/agent.ts',
      '@flotilla/driver-grpc',
      /never imports another driver/,
    ],
    [
      'a driver to import the inside of the core',
      'packages/driver-csr/src/agent.ts',
      '@flotilla/registration-core',
      /only registration-core\/contract/,
    ],
    [
      'a driver to import the suite outside its specs',
      'packages/driver-csr/src/agent.ts',
      '@flotilla/registration-core/testing',
      /only registration-core\/contract/,
    ],
    [
      'a driver to import another core package',
      'packages/driver-csr/src/agent.ts',
      '@flotilla/work-agent',
      /only registration-core\/contract/,
    ],
    [
      'the core to know a driver',
      'packages/registration-core/src/index.ts',
      '@flotilla/driver-csr',
      /"driver" comes after it/,
    ],
    [
      'core packages to import one another',
      'packages/work-agent/src/index.ts',
      '@flotilla/registration-core',
      /"core" do not import one another/,
    ],
    ['the kit to import the core', 'packages/kube/src/index.ts', '@flotilla/work-agent', /"core" comes after it/],
    [
      'kube to import envtest, also in specs',
      'packages/kube/src/a.spec.ts',
      '@flotilla/envtest',
      /"kit" do not import one another/,
    ],
    [
      'envtest to import the control plane',
      'packages/envtest/src/index.ts',
      '@flotilla/control-plane',
      /"kit" do not import one another/,
    ],
    [
      'the types to import the kit',
      'packages/api-types/src/index.ts',
      '@flotilla/kube',
      /imports only from the layers before it \(rules, schema\)/,
    ],
    [
      'a composition to choose a driver',
      'packages/hub-runtime/src/run-hub.ts',
      '@flotilla/driver-csr',
      /gets its drivers as a list/,
    ],
    ['anybody to import an app', 'packages/work-agent/src/index.ts', '@flotilla/hub', /"app" comes after it/],
    ['an app to import another app', 'apps/hub/src/main.ts', '@flotilla/agent', /"app" do not import one another/],
    ['anybody to import the tests', 'apps/hub/src/main.ts', '@flotilla/e2e', /"test" comes after it/],
    [
      'a deep import past the exports',
      'packages/work-agent/src/index.ts',
      '@flotilla/kube/dist/client/retry.js',
      /exports \., \.\/testing/,
    ],
    [
      'a relative import of another package',
      'packages/work-agent/src/index.ts',
      '../../kube/src/index.ts',
      /stays within its package/,
    ],
    [
      'a relative import of a package whose name begins alike',
      'packages/kube/src/index.ts',
      '../../kube-extra/index.ts',
      /stays within/,
    ],
    ['a package that does not exist', 'packages/work-agent/src/index.ts', '@flotilla/utils', /those of this workspace/],
    ['whole-system tests to reach into a package', 'e2e/join.kube.ts', '../packages/kube/src/index.ts', /stays within/],
    [
      'a package to import an example of another',
      'packages/work-agent/src/a.ts',
      '../../kube/examples/a.ts',
      /stays within/,
    ],
    ['a path of a machine', 'packages/work-agent/src/index.ts', '/home/me/kube.ts', /path of a machine/],
  ])('%s', (_, file, specifier, rule) => {
    expect(check(file, `\nimport '${specifier}';`)).toEqual([
      { file, line: 2, what: `imports ${specifier}`, rule: expect.stringMatching(rule) },
    ]);
  });

  it.each([
    ['type-only import', "import type { A } from '@flotilla/driver-grpc';"],
    ['named export', "export { a } from '@flotilla/driver-grpc';"],
    ['star export', "export * from '@flotilla/driver-grpc';"],
    ['type-only export', "export type { A } from '@flotilla/driver-grpc';"],
    ['dynamic import', "const a = await import('@flotilla/driver-grpc');"],
    ['dynamic import by a template', 'const a = await import(`@flotilla/driver-grpc`);'],
    ['import type', "type A = import('@flotilla/driver-grpc').A;"],
    ['require', "const a = require('@flotilla/driver-grpc');"],
  ])('a driver in a driver by any form: %s', (_, source) => {
    expect(check('packages/driver-csr/src/agent.ts', source)).toHaveLength(1);
  });

  it('a dependency on what must not be imported, already in package.json', () => {
    const manifest = { name: '@flotilla/driver-csr', dependencies: { '@flotilla/driver-grpc': '0.0.0' } };
    const file = 'packages/driver-csr/package.json';
    expect(check(file, JSON.stringify(manifest, null, 2))).toEqual([
      {
        file,
        line: 4,
        what: 'declares @flotilla/driver-grpc in dependencies',
        rule: 'a driver never imports another driver',
      },
    ]);
  });

  it('a development dependency that goes up', () => {
    const manifest = { name: '@flotilla/kube', devDependencies: { '@flotilla/envtest': '0.0.0' } };
    expect(check('packages/kube/package.json', JSON.stringify(manifest))).toHaveLength(1);
  });

  it('a package that is not in the table', () => {
    const file = 'packages/utils/package.json';
    expect(check(file, JSON.stringify({ name: '@flotilla/utils' }))).toEqual([
      {
        file,
        line: 1,
        what: 'the package @flotilla/utils has no layer',
        rule: expect.stringContaining('tools/layers/layers.ts'),
      },
    ]);
  });
});

describe('the layers do not mind', () => {
  it('what only resembles an import, or was built', () => {
    const root = repository({
      'packages/driver-csr/src/agent.ts':
        "// import '@flotilla/driver-grpc';\nconst s = \"import '@flotilla/driver-grpc'\";",
      'packages/driver-csr/dist/agent.js': "import '@flotilla/driver-grpc';",
      'packages/driver-csr/node_modules/x/index.js': "import '@flotilla/driver-grpc';",
    });
    expect(checkLayers(root)).toEqual([]);
  });
});

describe('the command', () => {
  const run = (root: string) => {
    try {
      const output = execFileSync(process.execPath, [join(import.meta.dirname, 'check.ts'), root], {
        encoding: 'utf8',
        stdio: 'pipe',
      });
      return { code: 0, output };
    } catch (error) {
      const { status, stderr } = error as { status: number; stderr: string };
      return { code: status, output: stderr };
    }
  };

  it('fails with the place, the import and the rule when a driver imports another', () => {
    const { code, output } = run(repository({ 'packages/driver-csr/src/agent.ts': "import '@flotilla/driver-grpc';" }));
    expect(code).toBe(1);
    expect(output).toContain('packages/driver-csr/src/agent.ts:1: imports @flotilla/driver-grpc');
    expect(output).toContain('a driver never imports another driver');
  });

  it('fails with the cycle and one import for each step when folders import one another', () => {
    const { code, output } = run(
      repository({
        'packages/kube/src/meta/keys.ts': "import '../resources/calls.ts';",
        'packages/kube/src/resources/calls.ts': "import '../meta/keys.ts';",
      }),
    );
    expect(code).toBe(1);
    expect(output).toContain(
      [
        'packages/kube/src: meta/ → resources/ → meta/',
        '    packages/kube/src/meta/keys.ts:1',
        '    packages/kube/src/resources/calls.ts:1',
      ].join('\n'),
    );
  });

  it('fails when the picture of the imports is stale, and passes after it is drawn anew', () => {
    const marks = '<!-- import graph: written by `npm run generate` -->\n<!-- end of the import graph -->\n';
    const root = repository({
      'docs/architecture.md': `# Architecture\n\n${marks}\nThe end.\n`,
      'packages/kube/src/index.ts': "import '@flotilla/schema';",
    });
    expect(run(root)).toEqual({ code: 1, output: expect.stringContaining('stale; run `npm run generate`') });
    writeArchitecture(root);
    expect(run(root)).toMatchObject({ code: 0 });
    expect(readFileSync(join(root, 'docs/architecture.md'), 'utf8')).toMatch(
      / {2}kube --> schema\n[\s\S]*The end\.\n$/,
    );
  });

  it('passes when all keep to the layers', () => {
    expect(run(repository({}))).toMatchObject({ code: 0 });
  });
});
