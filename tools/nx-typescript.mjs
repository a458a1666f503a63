// Infers the TypeScript targets of every project from its tsconfig files.
// Nx's own plugin calls the compiler's JavaScript API, which TypeScript 7 no longer has (docs/adr/0001-workspace-tools.md).
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const compiler = { externalDependencies: ['typescript'] };

const typecheck = {
  command: 'tsc -b',
  options: { cwd: '{projectRoot}' },
  dependsOn: ['build', '^build'],
  cache: true,
  inputs: ['default', '^production', compiler],
  outputs: [],
};

const build = {
  command: 'node ../../tools/built-files/remove-stale.ts && tsc -b tsconfig.lib.json',
  options: { cwd: '{projectRoot}' },
  dependsOn: ['^build'],
  cache: true,
  inputs: ['production', '^production', '{workspaceRoot}/tools/built-files/*', compiler],
  outputs: ['{projectRoot}/dist'],
};

/** A package with a program in dist/bin/ gets that as one file, made of src/cli.ts. */
const { command: compile, ...cachedBuild } = build;
const buildWithProgram = {
  ...cachedBuild,
  executor: 'nx:run-commands',
  options: { ...build.options, commands: [compile, 'node ../../tools/bundle/bundle.ts src/cli.ts'], parallel: false },
  inputs: [...build.inputs, '{workspaceRoot}/tools/bundle/*', { externalDependencies: ['esbuild'] }],
};

function hasProgram(directory) {
  const { bin = {} } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  return Object.values(bin).some((path) => path.startsWith('./dist/bin/'));
}

function targetsOf(file, workspaceRoot) {
  if (basename(file) !== 'tsconfig.lib.json') return { typecheck };
  return { build: hasProgram(join(workspaceRoot, dirname(file))) ? buildWithProgram : build };
}

export const name = 'flotilla/nx-typescript';

/** A tsconfig.json is type-checked whole (specs too); a tsconfig.lib.json beside it is what gets built and published. */
export const createNodesV2 = [
  '*/**/tsconfig{,.lib}.json',
  (files, _options, { workspaceRoot }) =>
    files.map((file) => [file, { projects: { [dirname(file)]: { targets: targetsOf(file, workspaceRoot) } } }]),
];
