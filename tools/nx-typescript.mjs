// Infers the TypeScript targets of every project from its tsconfig files.
// Nx's own plugin calls the compiler's JavaScript API, which TypeScript 7 no longer has (docs/adr/0001-workspace-tools.md).
import { basename, dirname } from 'node:path';

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
  command: 'tsc -b tsconfig.lib.json',
  options: { cwd: '{projectRoot}' },
  dependsOn: ['^build'],
  cache: true,
  inputs: ['production', '^production', compiler],
  outputs: ['{projectRoot}/dist'],
};

const targetsOf = (file) => (basename(file) === 'tsconfig.lib.json' ? { build } : { typecheck });

export const name = 'flotilla/nx-typescript';

/** A tsconfig.json is type-checked whole (specs too); a tsconfig.lib.json beside it is what gets built and published. */
export const createNodesV2 = [
  '*/**/tsconfig{,.lib}.json',
  (files) => files.map((file) => [file, { projects: { [dirname(file)]: { targets: targetsOf(file) } } }]),
];
